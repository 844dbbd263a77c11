// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EXEC_DIGESTS_H_
#define ASSAY_EXEC_DIGESTS_H_

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "base/error.h"
#include "evidence/evidence.h"
#include "spec/submission_spec.h"

namespace assay {

/// Digests of what a cell's evidence depends on, each tree read at most once.
///
/// Left out is what cannot change evidence, so that editing it regrades nothing: prose (`*.md`),
/// our own tests (`*_test.cc`), rubrics (they weigh evidence), controls, the signatures of mutants
/// (they are compared with evidence), and the layers that read evidence or run above the grading of
/// a cell: score, report, exec, cli.
class DigestReader {
 public:
  explicit DigestReader(std::filesystem::path root) : root_(std::move(root)) {}

  [[nodiscard]] Result<Digests> Read(const SubmissionSpec& submission);

 private:
  std::filesystem::path root_;
  std::map<std::string, std::string> challenges_;
  std::map<std::string, std::string> references_;
  std::optional<std::string> harness_;
};

}  // namespace assay

#endif  // ASSAY_EXEC_DIGESTS_H_
