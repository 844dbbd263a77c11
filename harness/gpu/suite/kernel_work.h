// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GPU_SUITE_KERNEL_WORK_H_
#define ASSAY_GPU_SUITE_KERNEL_WORK_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "emulator/report/launch_report.h"
#include "gpu/server/host_view.h"

namespace assay::gpu {

/// Bytes that any call may copy to the host, for a flag or a count: too few to compute from.
inline constexpr std::uint64_t kFlagBytes = 64;

/// What kernels must have done in a call whose work is theirs: "kernels do the work".
struct KernelDuty {
  std::string_view operation;
  /// What `input_bytes` are of, for messages: `logits`.
  std::string_view input;
  /// Of elements each of which acts on the outputs, every one once.
  std::uint64_t input_bytes = 0;
  /// Of outputs that no fill can have written.
  std::uint64_t output_bytes = 0;
  /// What a host may want of the input to plan its launches, beside kFlagBytes.
  std::uint64_t plan_bytes = 0;
};

/// What kernels loaded and stored, in bytes.
struct KernelWork {
  std::uint64_t loaded = 0;
  /// Of distinct sectors, summed over launches: what is loaded over and over counts once in each.
  std::uint64_t distinct = 0;
  std::uint64_t stored = 0;
};
[[nodiscard]] KernelWork WorkOf(std::span<const LaunchReport> launches);

enum class Counters {
  kKept,  ///< Of the emulated GPU.
  kNone,  ///< A real GPU counts nothing here.
};

/// Why kernels cannot have done the work of a call; empty: they can.
///
/// What decides is the copies to the host: device memory lies in another process, so whatever a
/// host computes from it has been copied there, in pageable, pinned, mapped or managed memory
/// alike, and all of these are counted. A host that has next to nothing of the input computes no
/// part of the answer, whatever decoys it launches. That kernels loaded the input and stored the
/// outputs beside it catches what knows the answer from elsewhere.
[[nodiscard]] std::string FaultOfWork(const KernelDuty& duty,
                                      std::span<const LaunchReport> launches,
                                      const remote::CopiedBytes& copied, Counters counters);

}  // namespace assay::gpu

#endif  // ASSAY_GPU_SUITE_KERNEL_WORK_H_
