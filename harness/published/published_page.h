// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_PUBLISHED_PUBLISHED_PAGE_H_
#define ASSAY_PUBLISHED_PUBLISHED_PAGE_H_

#include <vector>

#include "published/study.h"
#include "report/markdown.h"
#include "spec/repository.h"

namespace assay {

/// `published.md`, relative to `reports/`.
inline constexpr std::string_view kPublishedPage = "published.md";

/// The studies' tables and words, printed from their data: matchups, rounds, ranking, breakdown,
/// patterns, hybrid, files, and where they contradict themselves. Titles of dimensions are those of
/// `repository`'s rubrics. Pure.
[[nodiscard]] Markdown PublishedPage(const std::vector<PublishedStudy>& studies,
                                     const Repository& repository);

}  // namespace assay

#endif  // ASSAY_PUBLISHED_PUBLISHED_PAGE_H_
