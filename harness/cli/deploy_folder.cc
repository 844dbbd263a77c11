// SPDX-License-Identifier: Apache-2.0
#include "cli/deploy_folder.h"

#include <fmt/format.h>

#include "base/text.h"
#include "build/toolchain.h"

namespace assay {
namespace {

// What builds the sample test, as it is graded, and runs it.
std::string BuildCommand(const ChallengeSpec& challenge) {
  const std::string source = StubSource(challenge);
  const std::string compiler = source.ends_with(".cu")
                                   ? "nvcc -std=c++17 -O3"
                                   : "g++ " + Join(CompilerFlags(BuildFlavor::kRelease), " ");
  return fmt::format("{} -I. answer/{} answer/{} -o sample_test && ./sample_test", compiler, source,
                     StubTest(challenge));
}

std::string Readme(const ChallengeSpec& challenge, std::string_view model) {
  return fmt::format(
      "# {0}\n\n"
      "| file | what |\n"
      "|---|---|\n"
      "| `PROMPT.md` | the task: read it first |\n"
      "| `interface.h` | the functions to implement; the contract |\n"
      "| `answer/{1}` | the required functions, with bodies that refuse every call |\n"
      "| `answer/{2}` | a sample of a test |\n"
      "| `answer/submission.yaml` | what you hand in, with the questions to answer |\n\n"
      "In this folder, the sample test is built and run by\n\n"
      "```sh\n{3}\n```\n\n"
      "Hand in the folder `answer`: sources, tests, documents and `submission.yaml`; no build "
      "scripts,\n"
      "and no binaries. Whoever grades it takes it in with\n"
      "`assay collect answer --as {4}/{5}`.\n",
      challenge.title, StubSource(challenge), StubTest(challenge), BuildCommand(challenge), model,
      challenge.id);
}

}  // namespace

Result<FileContents> DeployedFiles(const ChallengeSpec& challenge, std::string_view model,
                                   std::string_view prompt, std::string_view interface_header) {
  ASSAY_ASSIGN_OR_RETURN(const FileContents stub, MakeStub(challenge, interface_header));
  FileContents files = {{"README.md", Readme(challenge, model)},
                        {"PROMPT.md", std::string(prompt)},
                        {"interface.h", std::string(interface_header)}};
  for (const auto& [path, content] : stub) {
    files["answer/" + path] = content;
  }
  return files;
}

}  // namespace assay
