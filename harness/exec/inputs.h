// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EXEC_INPUTS_H_
#define ASSAY_EXEC_INPUTS_H_

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "evidence/evidence.h"
#include "spec/submission_spec.h"

namespace assay {

/// SHA-256 of files, by their paths relative to the repository.
using FileDigests = std::map<std::string, std::string>;

/// One line a file, `<sha256>  <path>`, in the order of paths: `sha256sum -c` reads it.
[[nodiscard]] std::string ToText(const FileDigests& files);
/// Reads what ToText wrote; nothing when `text` is anything else, or holds a byte that is not
/// printable ASCII.
[[nodiscard]] std::optional<FileDigests> ParseFileDigests(std::string_view text);

/// What stands in quotes in preprocessor lines: included files, and those that a macro names.
[[nodiscard]] std::vector<std::string> NamedFiles(std::string_view source);

/// All that can change a cell's evidence, but for what its Environment holds.
struct CellInputs {
  FileDigests submission;
  FileDigests challenge;
  FileDigests reference;
  FileDigests harness;
  bool operator==(const CellInputs&) const = default;
};
/// What evidence carries: SHA-256 of the text of each part.
[[nodiscard]] Digests ToDigests(const CellInputs& inputs);

/// Where an installation says what it is made of.
struct InputPlaces {
  /// `<build>/inputs`: cmake/AssayInputs.cmake says what is in it. A package has `<id>.digests`
  /// there alone, and no sources.
  std::filesystem::path folder;
  /// The repository that was built: `harness/`, `challenges/`, `reference/`.
  std::filesystem::path sources;
};

/// What is handed in of a submission below `root`: the files that are compiled, or read and
/// counted.
[[nodiscard]] Result<FileDigests> ReadSubmissionInputs(const std::filesystem::path& root,
                                                       const SubmissionSpec& submission);

/// Reads what cells are made from, each file at most once.
///
/// Beside the submission these are the sources that CMake listed (`<id>.sources`: all that is
/// linked into the suite, the bench, the baseline, the mutants, the host, the emulated GPU and the
/// code that grades; adapter.cc, interface.h, challenge.yaml) and every file of the repository that
/// one of them names in a preprocessor line, whatever stands around that line: too many rather than
/// too few. So tests, rigs, benchmarks, prose, controls and rubrics do not count, nor the layers
/// that read evidence. Bytes are hashed: a comment in a source counts.
///
/// A listed file that is not there is left out. Without `<id>.sources`, as in a package,
/// `<id>.digests` says what was hashed when all was built.
class InputReader {
 public:
  explicit InputReader(InputPlaces places) : places_(std::move(places)) {}

  /// For a cell without CUDA the emulated GPU is left out, but for what every suite runs through
  /// (gpu/suite): its host has no CUDA runtime, which alone speaks to that GPU.
  [[nodiscard]] Result<CellInputs> Read(const std::filesystem::path& root,
                                        const SubmissionSpec& submission);

  /// Of a challenge, with CUDA.
  [[nodiscard]] Result<FileDigests> ReadChallenge(const std::string& challenge);

  [[nodiscard]] const InputPlaces& places() const { return places_; }

 private:
  struct SourceFile {
    std::string sha256;
    std::vector<std::string> named;  ///< In quotes, in preprocessor lines.
  };
  Result<const SourceFile*> Load(const std::string& path);
  Result<FileDigests> Close(std::string_view challenge, std::vector<std::string> sources);

  InputPlaces places_;
  std::map<std::string, std::optional<SourceFile>> files_;  ///< Nothing: there is no such file.
  std::map<std::string, FileDigests> challenges_;
};

}  // namespace assay

#endif  // ASSAY_EXEC_INPUTS_H_
