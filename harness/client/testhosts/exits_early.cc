// SPDX-License-Identifier: Apache-2.0
// Leaves before main, with a status that looks like success.
#include <unistd.h>

#include <cstdio>

#include "host/adapter.h"

namespace {

struct Leave {
  Leave() {
    std::puts("PASS");
    std::fflush(stdout);
    ::_exit(0);
  }
};
const Leave leave;

void Nothing() {}

}  // namespace

ASSAY_OPERATION("nothing", Nothing);
