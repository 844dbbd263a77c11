// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REVIEW_VISIBLE_H_
#define ASSAY_REVIEW_VISIBLE_H_

#include <string>
#include <string_view>

namespace assay {

/// `text` with `⟦U+202E⟧` for each character that IsUnseen (base/unicode.h) and `⟦x9f⟧` for each
/// byte that is no UTF-8. Lines end with `\n`, as Windows' do not.
[[nodiscard]] std::string MakeVisible(std::string_view text);

}  // namespace assay

#endif  // ASSAY_REVIEW_VISIBLE_H_
