// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CUDART_RUNTIME_OPTIONS_H_
#define ASSAY_CUDART_RUNTIME_OPTIONS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "emulator/core/device_options.h"

namespace assay::gpu {

/// Whether what a program never frees is reported when it ends.
enum class LeakCheck : std::uint8_t { kOff, kOn };

}  // namespace assay::gpu

namespace assay::gpu::runtime {

/// The environment variable that carries RunOptions to a program's runtime.
inline constexpr char kOptionsVariable[] = "ASSAY_CUDA_OPTIONS";

/// How a program runs on the emulated GPU in its own process.
struct RunOptions {
  DeviceOptions device;  ///< Without `print`, which does not travel.
  LeakCheck leak_check = LeakCheck::kOff;
  int report_fd = -1;  ///< Where reports go, a line of JSON each; -1: nowhere.
};

/// {"gpu":"h100","schedule":"ascending|reversed|random","seed":N,"checks":true,"workers":N,
///  "perturb":false,"instruction_limit":N,"memory_limit_bytes":N,"leak_check":false,"report_fd":N}
[[nodiscard]] std::string ToJson(const RunOptions& options);

/// Keys that are missing keep their defaults; an unknown key, or a value of another type, is an
/// error that names it. So is an unknown GPU.
[[nodiscard]] Result<RunOptions> FromJson(std::string_view json);

}  // namespace assay::gpu::runtime

#endif  // ASSAY_CUDART_RUNTIME_OPTIONS_H_
