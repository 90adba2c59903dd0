#pragma once

#include "core/graph/graph.h"

#include <QString>

namespace lemmascope {

/// A name from a file as one line of at most `mostCharacters`: control characters become spaces, bytes that are not UTF-8 the
/// replacement character.
[[nodiscard]] QString oneLine(const std::string& text, int mostCharacters = 200);
/// `axis=-1 perm=[0,2,1]`: attributes a reader compares first, small ones only, in name order; graphs and tensors left out.
[[nodiscard]] QString keyAttributes(const Node& node, int mostCharacters = 34);
/// All attributes, one per line, long lists cut.
[[nodiscard]] QString allAttributes(const Node& node);
/// `f32[2,n]`; empty when nothing is known.
[[nodiscard]] QString typeText(const TensorType& type);
/// The same for boxes: lengths that only data decides, which inference names by a digest, are `?`; long ones are cut.
[[nodiscard]] QString briefTypeText(const TensorType& type);
/// `0.125`, `[0,2,1]`, or the type of a larger constant.
[[nodiscard]] QString constantText(const Tensor& tensor);

/// Width of a text in a common sans-serif font at `pixels`, from a table of character classes: good to a few percent, and usable
/// where no font is (background threads).
[[nodiscard]] double approximateWidth(const QString& text, double pixels, bool bold = false);

} // namespace lemmascope
