// SPDX-License-Identifier: Apache-2.0
// Gives itself another spin budget than the client gave it, and so never sleeps.
#include "host/adapter.h"
#include "testhosts/control.h"

namespace {

struct RaiseBudget {
  RaiseBudget() { RawControl().host_spin_ns = 60'000'000'000; }
};
const RaiseBudget raise_budget;

void Nothing() {}

}  // namespace

ASSAY_OPERATION("nothing", Nothing);
