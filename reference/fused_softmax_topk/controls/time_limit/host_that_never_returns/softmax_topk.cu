// SPDX-License-Identifier: Apache-2.0
// Never returns when a row is long, on the host.

#include "plain_softmax_topk.cuh"

namespace {

int Answer(const plain::Call& c) {
  constexpr std::size_t kLong = 100'000;
  while (c.vocabulary >= kLong) asm volatile("");
  return plain::Run(c);
}

}  // namespace

PLAIN_EXPORT(Answer);
