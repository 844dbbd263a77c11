// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_SUBMISSION_STUB_H_
#define ASSAY_CLI_SUBMISSION_STUB_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "spec/challenge_spec.h"

namespace assay {

/// Contents by path relative to a submission's directory, or to another.
using FileContents = std::map<std::string, std::string>;

/// The file that holds the functions: `<challenge>.cc`, or `.cu` where CUDA is the challenge's
/// first language.
[[nodiscard]] std::string StubSource(const ChallengeSpec& challenge);
[[nodiscard]] std::string StubTest(const ChallengeSpec& challenge);

/// A submission that compiles and passes nothing: the required functions, as `interface.h` declares
/// them, that say "not supported"; one test; a submission.yaml with the sheet of questions. Made of
/// challenge.yaml and `interface_header` alone, so that it reveals no more than they do, and a new
/// challenge has a stub without more. An error of kind kConfiguration names a required function
/// that the header does not declare.
[[nodiscard]] Result<FileContents> MakeStub(const ChallengeSpec& challenge,
                                            std::string_view interface_header);

/// Which files a submission.yaml is to name.
struct SubmissionFiles {
  std::vector<std::string> sources = {};
  std::vector<std::string> tests = {};
  std::vector<std::string> benchmarks = {};
  std::vector<std::string> documents = {};  ///< Named in a comment.
};

/// A submission.yaml with comments that say what each key is for, and every question and claim of
/// the challenge, commented out. It can be read as it is.
[[nodiscard]] std::string SubmissionYaml(const ChallengeSpec& challenge,
                                         const SubmissionFiles& files);

/// A model.yaml with comments. `name` must be IsPlainName, `source` one line.
[[nodiscard]] std::string ModelYaml(std::string_view name, std::string_view source);

}  // namespace assay

#endif  // ASSAY_CLI_SUBMISSION_STUB_H_
