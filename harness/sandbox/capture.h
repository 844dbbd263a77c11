// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SANDBOX_CAPTURE_H_
#define ASSAY_SANDBOX_CAPTURE_H_

#include <cstdint>
#include <string>

#include "base/error.h"
#include "base/unique_fd.h"

namespace assay {

/// Standard output and errors of a sandboxed program as a memory file of a fixed, sealed size: no
/// thread has to drain it, and writing past its end fails. Both descriptors of the program share
/// one position, which is therefore the length written so far. They are for writing alone: a host
/// that can map them, or read them back, has memory that outlives a call and that no one counts.
class Capture {
 public:
  [[nodiscard]] static Result<Capture> Create(std::int64_t limit_bytes);

  /// What the program gets.
  [[nodiscard]] int fd() const { return writer_.get(); }
  /// What was written so far. A program that moves the position garbles its own output only.
  [[nodiscard]] std::string Read() const;

 private:
  Capture(UniqueFd file, UniqueFd writer, std::int64_t limit_bytes);

  UniqueFd file_;
  UniqueFd writer_;
  std::int64_t limit_bytes_;
};

}  // namespace assay

#endif  // ASSAY_SANDBOX_CAPTURE_H_
