// SPDX-License-Identifier: Apache-2.0
#include "host/operations.h"

#include <malloc.h>
#include <unistd.h>

#include <cstring>

namespace assay::host {
namespace {

constexpr int kBrokenRules = 70;  // EX_SOFTWARE

int Nop(const Argument* /*arguments*/) { return 0; }

int Trim(const Argument* /*arguments*/) {
  ::malloc_trim(0);
  return 0;
}

bool IsNameTaken(const Operation* operations, std::size_t count, const char* name) {
  for (std::size_t i = 0; i < count; ++i) {
    if (std::strcmp(operations[i].name, name) == 0) {
      return true;
    }
  }
  return false;
}

}  // namespace

void Die(const char* message) {
  // A message that cannot be written is no reason to go on.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, message, std::strlen(message));
  ::_exit(kBrokenRules);
}

void Register(const Operation& operation) { Operations::Instance().Add(operation); }

Operations& Operations::Instance() {
  static Operations operations;
  return operations;
}

Operations::Operations() {
  Add({wire::kNopName, nullptr, 0, Nop});
  Add({wire::kTrimName, nullptr, 0, Trim});
}

void Operations::Add(const Operation& operation) {
  const std::size_t length = std::strlen(operation.name);
  if (length == 0 || length >= wire::kNameBytes) {
    Die("adapter: the name of an operation has 1 to 63 characters\n");
  }
  if (IsNameTaken(operations_.data(), count_, operation.name)) {
    Die("adapter: two operations have the same name\n");
  }
  if (count_ == operations_.size()) {
    Die("adapter: more than 64 operations\n");
  }
  operations_[count_++] = operation;
}

const Operation* Operations::At(std::size_t index) const {
  return index < count_ ? &operations_[index] : nullptr;
}

std::size_t Operations::FillHello(wire::HelloFrame* hello) const {
  hello->header.type = wire::FrameType::kHello;
  hello->header.length_bytes =
      static_cast<std::uint32_t>(ASSAY_WIRE_FRAME_BYTES(wire::HelloFrame, operations, count_));
  hello->version = wire::kVersion;
  hello->count = static_cast<std::uint32_t>(count_);
  for (std::size_t i = 0; i < count_; ++i) {
    wire::OperationEntry& entry = hello->operations[i];
    entry = {};
    std::strcpy(entry.name, operations_[i].name);  // Add has checked its length.
    entry.parameter_count = static_cast<std::uint32_t>(operations_[i].parameter_count);
    for (std::size_t p = 0; p < operations_[i].parameter_count; ++p) {
      entry.parameters[p] = operations_[i].parameters[p];
    }
  }
  return hello->header.length_bytes;
}

}  // namespace assay::host
