// SPDX-License-Identifier: Apache-2.0
// Refuses large k as it may, but only when it has written what it could: a refusal must leave the
// outputs alone.

#include "plain_softmax_topk.cuh"

namespace {

int Answer(plain::Call c) {
  constexpr std::size_t kSupported = 16;
  const bool is_refused = c.k > kSupported && c.k <= c.vocabulary;
  if (is_refused) c.k = kSupported;
  const int status = plain::Run(c);
  return is_refused && c.rows > 0 ? SOFTMAX_TOPK_UNSUPPORTED : status;
}

}  // namespace

PLAIN_EXPORT(Answer);
