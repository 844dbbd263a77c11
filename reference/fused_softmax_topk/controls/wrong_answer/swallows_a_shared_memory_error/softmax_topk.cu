// SPDX-License-Identifier: Apache-2.0
// Asks for more dynamic shared memory than a block can have, which launches nothing, clears the
// error and says that all is well.

#include "plain_softmax_topk.cuh"

namespace {

int Answer(const plain::Call& c) {
  constexpr std::size_t kTooMuch_bytes = std::size_t{200} << 10;
  int status = SOFTMAX_TOPK_OK;
  if (!plain::HasWork(c, &status)) return status;
  cudaFuncSetAttribute(plain::SoftmaxTopK<float>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       kTooMuch_bytes);
  plain::SoftmaxTopK<float>
      <<<static_cast<unsigned>(c.rows), plain::kThreads, kTooMuch_bytes, c.stream>>>(c);
  cudaGetLastError();
  return SOFTMAX_TOPK_OK;
}

}  // namespace

PLAIN_EXPORT(Answer);
