// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SANDBOX_LIMITS_H_
#define ASSAY_SANDBOX_LIMITS_H_

#include <chrono>
#include <cstdint>

namespace assay {

/// What a sandboxed program may use. Every limit is always on.
struct Limits {
  std::chrono::nanoseconds wall = std::chrono::seconds(10);  ///< Since the program started.
  /// Memory of the whole tree. A control group enforces it where one is writable; otherwise
  /// SandboxedProcess watches anonymous memory and kills.
  std::int64_t memory_bytes = std::int64_t{1} << 30;
  std::int64_t file_size_bytes = std::int64_t{256} << 20;  ///< Largest file a tool may write.
  std::int64_t output_bytes = std::int64_t{64} << 10;      ///< Standard output and errors together.
  int processes = 64;                                      ///< Processes and threads together.
  int open_files = 64;                                     ///< Highest descriptor number plus 1.
};

}  // namespace assay

#endif  // ASSAY_SANDBOX_LIMITS_H_
