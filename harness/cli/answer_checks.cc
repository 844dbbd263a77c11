// SPDX-License-Identifier: Apache-2.0
#include "cli/answer_checks.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/answer.h"
#include "fuzz/fuzz_input.h"
#include "report/plain_text.h"
#include "spec/challenge_spec.h"
#include "spec/submission_spec.h"
#include "spec/unicode.h"

namespace assay {
namespace {

using fuzz::Require;

// At most 50 refused names of 200 bytes, each with a reason.
constexpr std::size_t kLongestCause_bytes = 20'000;

void CheckError(const Error& error) {
  Require(error.kind == ErrorKind::kConfiguration, "an answer at fault is no fault of ours");
  Require(!error.where.empty() && !error.cause.empty() && !error.remedy.empty(),
          "an error has a place, a cause and a remedy");
  Require(error.cause.size() <= kLongestCause_bytes, "an error is short");
  Require(PlainLine(error.cause) == error.cause, "an error can be printed");
}

bool IsKept(const std::string& path) {
  const std::filesystem::path as_path(path);
  return !as_path.is_absolute() && as_path.lexically_normal() == as_path &&
         std::ranges::none_of(as_path, [](const std::filesystem::path& part) {
           return part.empty() || part.string().starts_with('.');
         });
}

}  // namespace

void CheckFiles(const Result<FileContents>& files) {
  if (!files) {
    CheckError(files.error());
    return;
  }
  std::size_t size_bytes = 0;
  for (const auto& [path, content] : *files) {
    Require(IsKept(path) && PlainLine(path) == path, "a file lies in its submission, in sight");
    Require(!RefusalOfName(path) && !RefusalOfContent(content), "what is refused is not kept");
    Require(content.size() <= kLargestSource_bytes, "a file is no larger than it may be");
    size_bytes += content.size();
    const auto below = files->lower_bound(path + "/");
    Require(below == files->end() || !below->first.starts_with(path + "/"),
            "what is a file is no folder too");
  }
  Require(files->size() <= kLargestSubmission_files && size_bytes <= kLargestSubmission_bytes,
          "an answer is no larger than a submission may be");
  ChallengeSpec challenge;
  challenge.languages = {"c++", "cuda"};
  const SubmissionFiles classified = ClassifyFiles(*files, challenge);
  for (const auto* const names : {&classified.sources, &classified.tests, &classified.benchmarks}) {
    for (const std::string& name : *names) {
      Require(files->contains(name), "what a submission names is there");
    }
  }
}

}  // namespace assay
