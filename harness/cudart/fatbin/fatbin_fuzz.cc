// SPDX-License-Identifier: Apache-2.0
// libFuzzer: whatever bytes are read as a fat binary, and what is in it as a cubin, the readers
// return.
#include <cstddef>
#include <cstdint>
#include <span>

#include "cudart/fatbin/cubin.h"
#include "cudart/fatbin/fat_binary.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  [[maybe_unused]] const auto whole = assay::gpu::ReadCubin(bytes);
  if (const auto binary = assay::gpu::ReadFatBinary(bytes)) {
    [[maybe_unused]] const auto ptx = assay::gpu::ChoosePtx(*binary, 80);
    for (const assay::gpu::FatEntry& entry : binary->entries) {
      [[maybe_unused]] const auto cubin = assay::gpu::ReadCubin(entry.elf);
    }
  }
  return 0;
}
