#pragma once

#include "core/base/result.h"
#include "core/report/roles.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lemmascope {

/// A drawing of boxes, lines and short texts, before it becomes SVG or PNG. It names roles and inks; their colours are those of
/// roles.h: SVG has the light ones, and the dark ones where its reader wants them; PNG is light. Pixels at 100 %; y grows downwards.
struct Picture {
    enum class Ink : std::uint8_t { Text, Muted };
    struct Box {
        double x = 0.0; ///< top left
        double y = 0.0;
        double width = 0.0;
        double height = 0.0;
        std::optional<Role> role; ///< its border, fill and badge; absent: a value, outlined
        std::string tip;          ///< full text of what the label cuts; SVG only
        bool badge = true;        ///< a column with the glyph at the left, `PictureBadge` wide
    };
    struct Line {
        std::vector<std::pair<double, double>> points;
        bool arrow = true; ///< at the last point
        bool dashed = false;
    };
    struct Text {
        double x = 0.0; ///< middle of the text, or its left end
        double y = 0.0; ///< baseline
        std::string text;
        Ink ink = Ink::Text;
        bool centred = true;
        std::optional<Role> on; ///< the box it stands on, whose text has a colour of its own
    };
    double width = 0.0;
    double height = 0.0;
    std::string title;       ///< what the picture shows, for readers who do not see it
    std::string description; ///< the same at length; SVG only
    std::vector<Line> lines;
    std::vector<Box> boxes;
    std::vector<Text> texts; ///< drawn last
};

inline constexpr double PictureBadge = 20.0;

/// Width that a text takes in a picture: every character has the same.
inline constexpr double PictureCharacterWidth = 6.0;
inline constexpr double PictureTextHeight = 12.0;

/// SVG 1.1 that needs no other file.
[[nodiscard]] std::string pictureSvg(const Picture& picture);
/// PNG at two pixels per unit (one when it would be very large). Fails with TooLarge past 100 million pixels.
/// Characters that glyphs.h does not have are drawn as a box.
[[nodiscard]] Result<std::string> picturePng(const Picture& picture);

} // namespace lemmascope
