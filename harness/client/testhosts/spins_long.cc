// SPDX-License-Identifier: Apache-2.0
// Gives itself another spin budget than the client gave it, and so never sleeps.
#include <unistd.h>

#include <cstdint>
#include <ctime>
#include <thread>

#include "host/adapter.h"
#include "testhosts/control.h"

namespace {

struct RaiseBudget {
  RaiseBudget() { RawControl().host_spin_ns = 60'000'000'000; }
};
const RaiseBudget raise_budget;

/// Says each time that the process has used so much more processor time: its main thread, since
/// this one sleeps.
void SayWhenItHasBurnt(std::uint32_t milliseconds) {
  const auto used_ms = [] {
    timespec now = {};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * 1'000 + now.tv_nsec / 1'000'000;
  };
  std::thread([used_ms, milliseconds] {
    for (auto said_ms = used_ms();; said_ms += milliseconds) {
      while (used_ms() < said_ms + milliseconds) {
        ::usleep(1'000);
      }
      Say("burnt\n");
    }
  }).detach();
}

void Nothing() { SayWhenItHasBurnt(100); }

}  // namespace

ASSAY_OPERATION("nothing", Nothing);
