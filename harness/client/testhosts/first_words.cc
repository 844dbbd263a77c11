// SPDX-License-Identifier: Apache-2.0
// Hosts that go wrong before the first call. Which one is a matter of ASSAY_FIRST_WORDS, since a
// host gets no arguments. Has its own main, and so nothing of the honest runtime.
#include <cstring>

#include "testhosts/control.h"

namespace wire = assay::wire;

namespace {

wire::HelloFrame GoodHello() {
  wire::HelloFrame hello{};
  hello.header = {wire::FrameType::kHello, ASSAY_WIRE_FRAME_BYTES(wire::HelloFrame, operations, 1)};
  hello.version = wire::kVersion;
  hello.count = 1;
  std::strcpy(hello.operations[0].name, wire::kNopName);
  return hello;
}

[[maybe_unused]] void Say(wire::HelloFrame hello) {
  RawPut(&hello, sizeof hello);
  SleepForever();
}

[[maybe_unused]] wire::HelloFrame HelloWithTwo(const char* name) {
  wire::HelloFrame hello = GoodHello();
  hello.count = 2;
  hello.header.length_bytes = ASSAY_WIRE_FRAME_BYTES(wire::HelloFrame, operations, 2);
  std::strcpy(hello.operations[1].name, name);
  return hello;
}

[[maybe_unused]] void Silent() { SleepForever(); }
[[maybe_unused]] void Garbage() {
  std::memset(RawControl().to_client.frame, 0xab, wire::kFrameBytes);
  RawPublish();
  SleepForever();
}
[[maybe_unused]] void Empty() {
  wire::HelloFrame hello = GoodHello();
  hello.count = 0;
  hello.header.length_bytes = ASSAY_WIRE_FRAME_BYTES(wire::HelloFrame, operations, 0);
  Say(hello);
}
[[maybe_unused]] void OldVersion() {
  wire::HelloFrame hello = GoodHello();
  hello.version = wire::kVersion + 1;
  Say(hello);
}
[[maybe_unused]] void HugeTable() {
  wire::HelloFrame hello = GoodHello();
  hello.count = 0x0fff'ffffu;
  Say(hello);
}
[[maybe_unused]] void ShortTable() {
  wire::HelloFrame hello = GoodHello();
  hello.count = 2;
  Say(hello);
}
[[maybe_unused]] void ManyParameters() {
  wire::HelloFrame hello = HelloWithTwo("other");
  hello.operations[1].parameter_count = 33;
  Say(hello);
}
[[maybe_unused]] void UnknownParameter() {
  wire::HelloFrame hello = HelloWithTwo("other");
  hello.operations[1].parameter_count = 1;
  std::memset(hello.operations[1].parameters, 0x77, sizeof(wire::Parameter));
  Say(hello);
}
[[maybe_unused]] void BadName() { Say(HelloWithTwo("a|b")); }
[[maybe_unused]] void Twins() { Say(HelloWithTwo(wire::kNopName)); }
[[maybe_unused]] void NotAHello() {
  wire::HelloFrame hello = GoodHello();
  hello.header.type = wire::FrameType::kDone;
  Say(hello);
}
[[maybe_unused]] void Skips() {
  const wire::HelloFrame hello = GoodHello();
  std::memcpy(RawControl().to_client.frame, &hello, sizeof hello);
  RawPublish(2);
  SleepForever();
}

}  // namespace

int main() { ASSAY_FIRST_WORDS(); }
