// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_MACHINE_CHECK_H_
#define ASSAY_CLI_MACHINE_CHECK_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "base/error.h"
#include "exec/baseline_check.h"
#include "spec/repository.h"

namespace assay {

/// CheckBaselines of this machine; tests bring others.
using BaselineChecker = std::function<std::vector<Result<BaselineCheck>>(
    const BaselineCheckSettings&, const std::vector<BaselineToCheck>&,
    const BaselineCheckStarted&)>;

/// Bytes that are free where the folder lies, or will lie; tests bring others.
using FreeBytes = std::function<Result<std::uint64_t>(const std::filesystem::path&)>;
[[nodiscard]] Result<std::uint64_t> FreeBytesAt(const std::filesystem::path& folder);

/// What grading one cell may need of the disk at once: two tools at a time, and each may write a
/// file of 256 MiB (ToolSettings). A cell that is graded takes far less: 14 MB were seen.
inline constexpr std::uint64_t kRoomToGrade_bytes = std::uint64_t{512} << 20;

/// An error of kind kConfiguration unless that much is free for `folder`.
[[nodiscard]] Status CheckRoomToGrade(const std::filesystem::path& folder, const FreeBytes& free);

/// The baselines that must compile where `submissions` are graded, in the order of the repository:
/// with the CUDA half where one of them needs nvcc or the challenge is one in CUDA.
[[nodiscard]] std::vector<BaselineToCheck> BaselinesFor(
    const Repository& repository, const std::vector<const SubmissionSpec*>& submissions);

}  // namespace assay

#endif  // ASSAY_CLI_MACHINE_CHECK_H_
