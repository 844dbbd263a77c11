// SPDX-License-Identifier: Apache-2.0
// Right names, and no C linkage: nothing of what the interface asks for is there.

#include <cstddef>

int ln_forward_f32(std::size_t /*rows*/, std::size_t /*features*/, const float* /*x*/,
                   const float* /*gamma*/, const float* /*beta*/, float /*eps*/, float* /*y*/) {
  return 0;
}

int ln_backward_f32(std::size_t /*rows*/, std::size_t /*features*/, const float* /*dy*/,
                    float* /*dx*/, float* /*dgamma*/, float* /*dbeta*/) {
  return 0;
}
