// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_PUBLISHED_STUDY_READER_H_
#define ASSAY_PUBLISHED_STUDY_READER_H_

#include <filesystem>

#include "published/study.h"
#include "spec/checked.h"

namespace assay {

/// Every fault of the file's form with its line: what is missing, unknown or out of range, a row
/// without a mapping, a disagreement without a cause, an edge for a model that is not compared.
/// Whether ids are this repository's, CheckStudy says.
[[nodiscard]] Checked<PublishedStudy> ReadStudy(const std::filesystem::path& file);

}  // namespace assay

#endif  // ASSAY_PUBLISHED_STUDY_READER_H_
