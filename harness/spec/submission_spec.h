// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SPEC_SUBMISSION_SPEC_H_
#define ASSAY_SPEC_SUBMISSION_SPEC_H_

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spec/challenge_spec.h"
#include "spec/checked.h"

namespace assay {

inline constexpr std::size_t kLargestSubmission_files = 10'000;
inline constexpr std::size_t kLargestSubmission_bytes = std::size_t{16} << 20;
inline constexpr std::size_t kLargestSource_bytes = std::size_t{1} << 20;

/// A benchmark program that a submission ships: it must build, run and exit with 0.
struct BenchmarkSpec {
  std::string source;
  int configurations = 0;  ///< How many configurations it says it measures; at least 1.
  bool operator==(const BenchmarkSpec&) const = default;
};

/// A minimal repair, applied only when the submission as handed in does not build.
struct PatchSpec {
  std::string file;
  std::string reason;
  bool operator==(const PatchSpec&) const = default;
};

/// `submission.yaml` beside the files it names. All paths are relative to `directory`, use `/`,
/// hold no `..`, and name regular files that are there and lead out of it by no symbolic link.
///
/// Controls (`reference/<challenge>/controls/<verdict>/<name>/`) have the same format; in them
/// `model` is the control's name.
struct SubmissionSpec {
  std::filesystem::path directory;
  std::string model;                   ///< Id: the directory's place says it, never the file.
  std::string challenge;               ///< Id of the challenge it answers.
  std::vector<std::string> sources;    ///< Compiled and linked, in this order; at least one.
  std::vector<std::string> headers;    ///< Every file below that IsHeader, sorted.
  std::vector<std::string> documents;  ///< Every file below that IsDocument, sorted.
  std::vector<std::string> tests;      ///< Each a program with `main` against `interface.h`.
  std::vector<BenchmarkSpec> benchmarks;
  std::map<std::string, std::string> answers;  ///< By question id: a number or a text, as written.
  std::map<std::string, double> claims;        ///< By claim id.
  std::optional<PatchSpec> patch;
  bool operator==(const SubmissionSpec&) const = default;
};

/// Whether a file of a submission is a header: `*.h`, `*.hpp` or `*.cuh`.
[[nodiscard]] bool IsHeader(std::string_view path);

/// Whether a file of a submission is a document: `*.md`.
[[nodiscard]] bool IsDocument(std::string_view path);

/// Reads `<directory>/submission.yaml` and checks the whole tree below `directory`, without
/// opening anything but regular files below their limits. `model` becomes SubmissionSpec::model.
[[nodiscard]] Checked<SubmissionSpec> ReadSubmission(const std::filesystem::path& directory,
                                                     const ChallengeSpec& challenge,
                                                     const std::string& model);

}  // namespace assay

#endif  // ASSAY_SPEC_SUBMISSION_SPEC_H_
