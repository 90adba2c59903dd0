#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace lemmascope {

/// A drawing of boxes, lines and short texts, before it becomes SVG or PNG. Pixels at 100 %; y grows downwards.
struct Picture {
    struct Color {
        std::uint8_t red = 0;
        std::uint8_t green = 0;
        std::uint8_t blue = 0;
    };
    struct Box {
        double x = 0.0; ///< top left
        double y = 0.0;
        double width = 0.0;
        double height = 0.0;
        Color fill;
        Color line;
        double lineWidth = 1.0;
        std::string tip; ///< full text of what the label cuts; SVG only
    };
    struct Line {
        std::vector<std::pair<double, double>> points;
        Color color;
        bool arrow = true; ///< at the last point
        bool dashed = false;
    };
    struct Text {
        double x = 0.0; ///< middle of the text, or its left end
        double y = 0.0; ///< baseline
        std::string text;
        Color color;
        bool centred = true;
    };
    double width = 0.0;
    double height = 0.0;
    std::string title; ///< what the picture shows, for readers who do not see it
    std::vector<Line> lines;
    std::vector<Box> boxes;
    std::vector<Text> texts; ///< drawn last
};

/// Width that a text takes in a picture: every character has the same.
inline constexpr double PictureCharacterWidth = 6.0;
inline constexpr double PictureTextHeight = 12.0;

/// SVG 1.1 that needs no other file.
[[nodiscard]] std::string pictureSvg(const Picture& picture);
/// PNG at two pixels per unit (one when it would be very large). Fails with TooLarge past 100 million pixels.
/// Characters outside ASCII are drawn as a box.
[[nodiscard]] Result<std::string> picturePng(const Picture& picture);

} // namespace lemmascope
