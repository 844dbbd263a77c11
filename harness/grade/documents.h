// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GRADE_DOCUMENTS_H_
#define ASSAY_GRADE_DOCUMENTS_H_

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "evidence/evidence.h"
#include "spec/submission_spec.h"

namespace assay {

/// What can be counted of a document without judging it.
struct DocumentMeasures {
  int sections = 0;      ///< Headings, of either form, outside of blocks of code.
  int broken_links = 0;  ///< Links and images that lead to no file of the submission.
  bool operator==(const DocumentMeasures&) const = default;
};

/// Reads the markdown of the document at `path`, relative to the submission. A link is relative
/// where it has no scheme; it is broken when it leads out of the submission, or `exists` denies its
/// path, which is relative to the submission too. Links to the web and within a page are not looked
/// at. Pure; any text will do, and takes time linear in its length but for a logarithm.
[[nodiscard]] DocumentMeasures MeasureDocument(
    std::string_view markdown, const std::string& path,
    const std::function<bool(const std::string&)>& exists);

/// Adds up the measures of all documents of `submission`, as handed in, in `evidence`: no sections
/// where there is no document, and then no number of links either. Copies are made below
/// `output_directory`; documents that cannot be staged leave both absent. An Error is a full disk.
[[nodiscard]] Status MeasureDocuments(const SubmissionSpec& submission,
                                      const std::filesystem::path& output_directory,
                                      StaticEvidence& evidence);

}  // namespace assay

#endif  // ASSAY_GRADE_DOCUMENTS_H_
