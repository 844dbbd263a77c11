// SPDX-License-Identifier: Apache-2.0
// Work that is still on the stream when a CUDA operation begins, and brings its inputs: tag `cuda`,
// and that of the operation. Against work on another stream that does not wait for it, and against
// code that takes a busy stream for one that failed.

#include <cstddef>
#include <utility>

#include "suite_cuda.h"

namespace assay::layernorm {
namespace {

class CudaStreams : public LayerNormCudaTest {
 protected:
  /// Of few features and many, in one block and in several.
  static constexpr std::pair<std::size_t, std::size_t> kShapes[] = {
      {1, 24}, {40, 100}, {300, 768}, {3, 9001}};

  void SetUp() override {
    LayerNormCudaTest::SetUp();
    InputsComeLate();
  }
};

TEST_F(CudaStreams, InputsOfForward) {
  Tag({"cuda", "cuda_forward"});
  for (const auto& [rows, features] : kShapes) {
    ExpectForwardRight(Random(rows, features));
  }
}

TEST_F(CudaStreams, InputsOfBackward) {
  Tag({"cuda", "cuda_backward"});
  for (const auto& [rows, features] : kShapes) {
    ExpectBackwardRight(Random(rows, features));
  }
}

}  // namespace
}  // namespace assay::layernorm
