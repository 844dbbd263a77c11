// SPDX-License-Identifier: Apache-2.0
// Work that is still on the stream when kv_paged_decode_f32_cuda begins, and brings its inputs: tag
// `cuda`. Against work on another stream that does not wait for it, lengths that the host reads
// too early, and code that takes a busy stream for one that failed.

#include <cstdint>

#include "suite_cuda.h"

namespace assay::kvcache {
namespace {

class CudaStreams : public KvCudaTest {
 protected:
  void SetUp() override {
    KvCudaTest::SetUp();
    Tag({"cuda"});
    NeedDecode();
    InputsComeLate();
  }
};

TEST_F(CudaStreams, InputsOfOneSequence) {
  for (const std::int32_t length : {1, 50, 3000}) {
    ExpectRightFor({.query_heads = 4, .kv_heads = 2, .head_size = 64, .lengths = {length}});
  }
}

TEST_F(CudaStreams, InputsOfSeveralSequences) {
  ExpectRightFor({.query_heads = 2, .kv_heads = 1, .head_size = 32, .lengths = {5, 0, 700, 33}});
  ExpectRightFor({.query_heads = 8, .kv_heads = 8, .head_size = 16, .lengths = {20, 21, 1, 300}});
}

}  // namespace
}  // namespace assay::kvcache
