// SPDX-License-Identifier: Apache-2.0
// The part of the submission that knows the wire: apart, since nvcc compiles the rest, as C++17.
#include <cstddef>
#include <cstdint>
#include <random>
#include <thread>
#include <tuple>
#include <vector>

#include "client/testhosts/control.h"
#include "gpu/server/testhosts/submission.h"
#include "host/device.h"

int send_garbage(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::byte> reply(1 << 20);
  while (true) {
    std::vector<std::uint32_t> message(random() % 40);
    for (std::uint32_t& word : message) {
      word = static_cast<std::uint32_t>(random() % 3 == 0 ? random() : random() % 20);
    }
    std::ignore = assay::host::CallDevice({{message.data(), message.size() * 4}}, reply);
  }
}

void act_after_the_reply(void (*act)()) {
  std::thread([act, go = GoAhead()] {
    go.Wait();
    act();
    Say("acted\n");
  }).detach();
}
