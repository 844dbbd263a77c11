// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GRADE_DUPLICATION_H_
#define ASSAY_GRADE_DUPLICATION_H_

#include <cstddef>
#include <span>
#include <string>

namespace assay {

/// So many names and signs in a row that stand elsewhere too are a copy: some five lines.
inline constexpr std::size_t kLeastCopied_tokens = 60;

/// The share, 0 to 1, of the names and signs of C++ or CUDA `sources` that are copied from a place
/// before: in the same source or in one before it. Numbers, literals, comments and layout do not
/// count, so that a copy with other constants is one. 0 where there is nothing to copy. Pure; any
/// text will do, and takes time linear in its length.
[[nodiscard]] double DuplicatedShare(std::span<const std::string> sources);

}  // namespace assay

#endif  // ASSAY_GRADE_DUPLICATION_H_
