// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_HOST_OPERATIONS_H_
#define ASSAY_HOST_OPERATIONS_H_

#include <array>
#include <cstddef>

#include "host/adapter.h"
#include "wire/protocol.h"

namespace assay::host {

/// What this process can be asked to do, in the order of registration; assay_nop is number 0
/// and assay_trim number 1.
class Operations {
 public:
  /// The process's table. Initialisers of other files register in it before main, so it must be
  /// made when first asked for.
  static Operations& Instance();

  /// See Register in adapter.h.
  void Add(const Operation& operation);
  /// nullptr beyond the end.
  [[nodiscard]] const Operation* At(std::size_t index) const;
  /// Writes the table for the client; returns the frame's length.
  std::size_t FillHello(wire::HelloFrame* hello) const;

 private:
  Operations();

  std::array<Operation, wire::kMaxOperations> operations_{};
  std::size_t count_ = 0;
};

/// Ends the process with `message` on stderr: the adapter or the client broke the rules.
[[noreturn]] void Die(const char* message);

}  // namespace assay::host

#endif  // ASSAY_HOST_OPERATIONS_H_
