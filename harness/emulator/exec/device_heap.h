// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_EXEC_DEVICE_HEAP_H_
#define ASSAY_EMULATOR_EXEC_DEVICE_HEAP_H_

#include <cstdint>
#include <map>
#include <optional>

#include "emulator/memory/checker_state.h"

namespace assay::gpu {

/// What malloc and free of device code hand out: parts of one allocation of
/// cudaLimitMallocHeapSize's default size, first fit. Not thread-safe: kernels that call malloc
/// run on one core.
class DeviceHeap {
 public:
  static constexpr std::uint64_t kSizeBytes = std::uint64_t{8} << 20;
  /// A GPU's has 16. A whole sector: no two allocations share what the checker keeps of one.
  static constexpr std::uint64_t kAlignBytes = kSectorBytes;

  explicit DeviceHeap(std::uint64_t address) : address_(address) {}

  [[nodiscard]] std::uint64_t address() const { return address_; }
  /// 0 when there is no room, as on a GPU.
  [[nodiscard]] std::uint64_t Allocate(std::uint64_t size_bytes);
  /// The bytes that are free now; nothing: not what Allocate returned, or freed already. Freeing 0
  /// does nothing.
  [[nodiscard]] std::optional<std::uint64_t> Free(std::uint64_t address);

 private:
  std::uint64_t address_;
  std::map<std::uint64_t, std::uint64_t> used_;  // Offset to bytes.
};

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_EXEC_DEVICE_HEAP_H_
