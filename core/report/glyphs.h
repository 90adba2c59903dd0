#pragma once

namespace lemmascope {

/// A fixed-width bitmap font for pictures: DejaVu Sans Mono drawn at 20 pixels, without grey levels.
inline constexpr int GlyphWidth = 12;
inline constexpr int GlyphHeight = 24;
inline constexpr int GlyphBaseline = 19; ///< rows above the baseline

/// Row `row` of a character as GlyphWidth bits, leftmost highest; `code` is a Unicode code point; 0 and
/// what is neither printable ASCII nor a sign of the roles is an empty box.
[[nodiscard]] unsigned glyphRow(int code, int row);

} // namespace lemmascope
