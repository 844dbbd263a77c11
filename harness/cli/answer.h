// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_ANSWER_H_
#define ASSAY_CLI_ANSWER_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "cli/submission_stub.h"
#include "spec/challenge_spec.h"

namespace assay {

enum class EntryKind { kFile, kLink, kOther };

/// The files of an answer as they come out of a folder, an archive or a text: hostile names and
/// bytes. It collects them in memory, within the limits of submissions, beside all that a
/// submission may not hold, so that one error can name everything that is refused.
class AnswerIntake {
 public:
  /// Whether to go on reading: no limit on the whole was met.
  [[nodiscard]] bool HasRoom() const { return over_limit_.empty(); }
  /// How much of a file is worth reading: a byte more than one may have.
  [[nodiscard]] static std::size_t MostBytesOfAFile();

  /// Takes a file in, or what is none, or refuses it.
  void Add(std::string_view name, EntryKind kind, std::string content);
  void Refuse(std::string_view name, std::string_view reason);

  /// The files by plain relative path. Or one error of kind kConfiguration, with place `where`,
  /// that names every refused file and why.
  [[nodiscard]] Result<FileContents> Finish(const std::string& where) const;

 private:
  struct Refusal {
    std::string name;
    std::string reason;
  };
  FileContents files_;
  std::vector<Refusal> refused_;
  std::size_t entries_ = 0;
  std::size_t size_bytes_ = 0;
  std::string over_limit_;
};

/// Why no submission may hold a file of this name: it leads out, is hidden, is not plain, or is a
/// build script. Nothing when it may.
[[nodiscard]] std::optional<std::string> RefusalOfName(std::string_view path);
/// The same of its content: a binary, or a script by its first line.
[[nodiscard]] std::optional<std::string> RefusalOfContent(std::string_view content);

/// `files` without the one folder that all of them lie in; as they are where there is none.
[[nodiscard]] FileContents WithoutCommonFolder(FileContents files);

/// What each file is for, by its name and by whether it has a main: what a submission.yaml is to
/// name. Helpers in folders of tests, headers and other files are in no list.
[[nodiscard]] SubmissionFiles ClassifyFiles(const FileContents& files,
                                            const ChallengeSpec& challenge);

}  // namespace assay

#endif  // ASSAY_CLI_ANSWER_H_
