// SPDX-License-Identifier: Apache-2.0
// A submission whose static constructors and destructors use the device of its host.
#include <cstddef>
#include <optional>

#include "host/adapter.h"
#include "host/device.h"

namespace {

std::optional<std::size_t> AskOne() {
  std::byte reply[8];
  return assay::host::CallDevice({{"e", 1}}, reply);
}

struct Greeter {
  Greeter() : answered(AskOne().has_value()) {}
  ~Greeter() { (void)AskOne(); }
  bool answered;
};
const Greeter g_greeter;

int WasAnswered() { return g_greeter.answered ? 1 : 0; }

}  // namespace

ASSAY_OPERATION("was_answered", WasAnswered);
