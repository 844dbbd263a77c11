// SPDX-License-Identifier: Apache-2.0
// libFuzzer: whatever text is parsed, the parser returns, and what it returns is consistent.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "emulator/ptx/check_module.h"
#include "emulator/ptx/parser.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto module = assay::gpu::ptx::Parse(text, "fuzz.ptx");
  if (module && !assay::gpu::ptx::FindInconsistency(*module).empty()) {
    std::abort();
  }
  return 0;
}
