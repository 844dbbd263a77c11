// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SCORE_TIE_H_
#define ASSAY_SCORE_TIE_H_

#include "spec/rubric.h"

namespace assay {

/// Whether two values of a row count as equal under the rubric's `tie_within`. Symmetric. Equal
/// values (equal infinities too) always tie; NaN never does. A factor compares positive values:
/// zero or a change of sign ties with itself alone.
[[nodiscard]] bool IsWithin(const Tie& tie, double a, double b);

}  // namespace assay

#endif  // ASSAY_SCORE_TIE_H_
