#pragma once

#include "core/prove/verdict.h"

#include <QList>
#include <QString>

#include <optional>

/// One pair of tests/data/cases and what its index says about it.
struct Case {
    QString id; ///< `onnx/add_regroup`
    QString reference;
    QString rewritten;
    QString options; ///< of `check`
    enum class Truth {
        Equal,      ///< over the reals
        Rounded,    ///< but for stored constants that are rounded
        Differs,    ///< some input gives different outputs, or the types differ
        OutOfRange, ///< only the rewritten graph reads or writes outside
        Unproved    ///< an unknown op hides the answer
    } truth = Truth::Equal;
    lemmascope::Strength strongest = lemmascope::Strength::Identical; ///< a stronger proof would be false
    std::optional<lemmascope::Strength> weakest;                      ///< a weaker proof does not count; none: no proof is asked for
    bool bitEqual = false;                                            ///< equal in float32 too
};

/// The pairs of one folder: `json`, `onnx`, `bugs`, `ort-bugs`, `ort`. Empty when the index cannot be read.
[[nodiscard]] QList<Case> casesOf(const QString& folder);
