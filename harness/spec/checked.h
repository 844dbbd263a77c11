// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SPEC_CHECKED_H_
#define ASSAY_SPEC_CHECKED_H_

#include <expected>

#include "base/error.h"

namespace assay {

/// A value read from a file that a person wrote, or every fault found in it (never an empty list).
template <class T>
using Checked = std::expected<T, Errors>;

}  // namespace assay

#endif  // ASSAY_SPEC_CHECKED_H_
