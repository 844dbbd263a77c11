// SPDX-License-Identifier: Apache-2.0
#include "cli/machine_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "build/cuda_toolkit.h"

namespace assay {

namespace fs = std::filesystem;

Result<std::uint64_t> FreeBytesAt(const fs::path& folder) {
  fs::path there = folder;
  std::error_code failure;
  while (!fs::exists(there, failure) && there.has_relative_path()) {
    there = there.parent_path();
  }
  const fs::space_info space = fs::space(there, failure);
  if (failure) {
    return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                                 .where = folder.string(),
                                 .cause = "its free space cannot be read: " + failure.message(),
                                 .remedy = "make the repository readable and writable"});
  }
  return space.available;
}

Status CheckRoomToGrade(const fs::path& folder, const FreeBytes& free) {
  ASSAY_ASSIGN_OR_RETURN(const std::uint64_t available_bytes, free(folder));
  if (available_bytes >= kRoomToGrade_bytes) {
    return {};
  }
  return std::unexpected(
      Error{.kind = ErrorKind::kConfiguration,
            .where = folder.string(),
            .cause = fmt::format("{} bytes ({} MiB) are free on its disk, and grading needs {} "
                                 "({} MiB)",
                                 available_bytes, available_bytes >> 20, kRoomToGrade_bytes,
                                 kRoomToGrade_bytes >> 20),
            .remedy = fmt::format("free {} MiB and run again; nothing was graded",
                                  (kRoomToGrade_bytes - available_bytes + (1 << 20) - 1) >> 20)});
}

std::vector<BaselineToCheck> BaselinesFor(const Repository& repository,
                                          const std::vector<const SubmissionSpec*>& submissions) {
  std::vector<BaselineToCheck> baselines;
  for (const ChallengeSpec& challenge : repository.challenges) {
    const auto answers = [&](const SubmissionSpec* submission) {
      return submission->challenge == challenge.id;
    };
    const auto needs_cuda = [&](const SubmissionSpec* submission) {
      return answers(submission) && (IsInCuda(challenge) || NeedsNvcc(*submission));
    };
    if (std::ranges::any_of(submissions, answers)) {
      const bool cuda = std::ranges::any_of(submissions, needs_cuda);
      baselines.push_back({.challenge = challenge,
                           .halves = cuda ? BaselineHalves::kCppAndCuda : BaselineHalves::kCpp});
    }
  }
  return baselines;
}

}  // namespace assay
