// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_MEMORY_FREE_RANGES_H_
#define ASSAY_EMULATOR_MEMORY_FREE_RANGES_H_

#include <cstdint>
#include <map>
#include <optional>

namespace assay::gpu {

/// Parts of an address space that are free, by first fit.
class FreeRanges {
 public:
  /// Frees what is not free.
  void Give(std::uint64_t offset, std::uint64_t bytes);
  /// The offset of `bytes` that were free, the lowest there is; or empty.
  std::optional<std::uint64_t> Take(std::uint64_t bytes);

 private:
  std::map<std::uint64_t, std::uint64_t> ranges_;  // Offset to bytes; no two touch.
};

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_MEMORY_FREE_RANGES_H_
