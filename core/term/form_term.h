#pragma once

#include "core/term/form_store.h"
#include "core/term/term_store.h"

namespace lemmascope {

/// A scalar of a shape as one term: the term it reads where it is a plain read of that shape, else an operator that names the form
/// in its store, applied to what the form reads. Equal scalars of one store give equal terms.
[[nodiscard]] TermId formTerm(TermStore& terms, FormStore& forms, Scalar scalar, const TensorType& type);

/// A symbolic length as an f64 of rank 0: what means divide by, and sums of equal summands multiply with.
[[nodiscard]] TermId lengthTerm(TermStore& terms, const Dim& length);

} // namespace lemmascope
