// SPDX-License-Identifier: Apache-2.0
// Looks for a real GPU past the runtime that it is linked with: the nodes of NVIDIA's driver.
// Answers only if it finds one, so that a leak shows as accepted.

#include <fcntl.h>
#include <unistd.h>

#include "plain_softmax_topk.cuh"

namespace {

bool HasDriver() {
  for (const char* node : {"/dev/nvidiactl", "/dev/nvidia0", "/dev/nvidia-uvm", "/dev/dri/card0"}) {
    const int descriptor = open(node, O_RDWR);
    if (descriptor >= 0) {
      close(descriptor);
      return true;
    }
  }
  return false;
}

int Answer(const plain::Call& c) { return HasDriver() ? plain::Run(c) : SOFTMAX_TOPK_OK; }

}  // namespace

PLAIN_EXPORT(Answer);
