// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_REVIEW_KEY_H_
#define ASSAY_CLI_REVIEW_KEY_H_

#include <filesystem>
#include <string>

#include "base/error.h"

namespace assay {

/// What leads labels of dossiers back to models: `<root>/.assay/review.key`, 64 hexadecimal digits.
/// Empty where none was made.
[[nodiscard]] Result<std::string> ReadReviewKey(const std::filesystem::path& root);

/// The same; makes one, for its owner's eyes alone, where there is none. The caller holds the lock.
[[nodiscard]] Result<std::string> MakeReviewKey(const std::filesystem::path& root);

}  // namespace assay

#endif  // ASSAY_CLI_REVIEW_KEY_H_
