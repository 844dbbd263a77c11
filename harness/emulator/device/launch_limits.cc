// SPDX-License-Identifier: Apache-2.0
#include "emulator/device/launch_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "emulator/report/cuda_error.h"

namespace assay::gpu {
namespace {

constexpr std::uint64_t kMostParameterBytes = 32764;
constexpr std::uint64_t kMostThreadsPerBlock = 1024;
// Without cudaFuncAttributeMaxDynamicSharedMemorySize.
constexpr std::uint64_t kSharedBytesByDefault = std::uint64_t{48} * 1024;

using Refusal = std::optional<DeviceError>;

Refusal Refused(int error, std::string detail) {
  return DeviceError{.code = error, .detail = std::move(detail)};
}

bool IsEmpty(const std::array<std::uint32_t, 3>& dimensions) {
  return std::ranges::any_of(dimensions, [](auto n) { return n == 0; });
}

Refusal DimensionsRefusal(const LaunchRequest& request, const LoadedKernel& kernel) {
  const auto& grid = request.grid;
  const auto& block = request.block;
  if (IsEmpty(grid) || IsEmpty(block) || grid[0] > 0x7fffffffU || grid[1] > 65535 ||
      grid[2] > 65535 || block[0] > 1024 || block[1] > 1024 || block[2] > 64) {
    return Refused(cuda_error::kInvalidConfiguration,
                   "a dimension of the grid or block is out of range");
  }
  const std::uint64_t threads = std::uint64_t{block[0]} * block[1] * block[2];
  if (threads > kMostThreadsPerBlock) {
    return Refused(cuda_error::kInvalidConfiguration,
                   fmt::format("{} threads in a block, of 1024", threads));
  }
  if (threads > kernel.info.resources.max_threads_per_block) {
    return Refused(cuda_error::kInvalidValue,
                   fmt::format("{} threads in a block; the kernel allows {}", threads,
                               kernel.info.resources.max_threads_per_block));
  }
  if (std::uint64_t{grid[0]} * grid[1] > ~std::uint32_t{0} / std::uint64_t{grid[2]}) {
    return Refused(cuda_error::kNotSupported,
                   "the emulated GPU runs grids of less than 2^32 blocks");
  }
  return std::nullopt;
}

Refusal SharedMemoryRefusal(const GpuModel& model, const LaunchRequest& request,
                            std::uint64_t shared_bytes) {
  const std::uint64_t limit = std::max(request.dynamic_shared_limit_bytes, kSharedBytesByDefault);
  if (shared_bytes > model.shared_bytes_per_block_optin || request.dynamic_shared_bytes > limit ||
      (limit == kSharedBytesByDefault && shared_bytes > limit)) {
    return Refused(cuda_error::kInvalidValue,
                   fmt::format("{} bytes of shared memory a block; the limit is {} (set "
                               "cudaFuncAttributeMaxDynamicSharedMemorySize for up to {})",
                               shared_bytes, limit, model.shared_bytes_per_block_optin));
  }
  return std::nullopt;
}

}  // namespace

Refusal LaunchRefusal(const GpuModel& model, const LaunchRequest& request,
                      const LoadedKernel& kernel, std::uint64_t shared_bytes) {
  if (auto refusal = DimensionsRefusal(request, kernel)) {
    return refusal;
  }
  if (auto refusal = SharedMemoryRefusal(model, request, shared_bytes)) {
    return refusal;
  }
  if (request.parameters.size() != kernel.info.parameter_bytes ||
      request.parameters.size() > kMostParameterBytes) {
    return Refused(cuda_error::kInvalidValue, "the parameters do not have the kernel's size");
  }
  return std::nullopt;
}

}  // namespace assay::gpu
