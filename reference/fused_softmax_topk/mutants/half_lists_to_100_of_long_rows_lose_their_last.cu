// SPDX-License-Identifier: Apache-2.0
// Bug: with logits of 16 bits, rows over 32,768 with k from 33 to 100 take the way of large k,
// where so short a list has its last but one twice.

#include <type_traits>

#include "export.cuh"

namespace {

namespace baseline = assay::softmax_topk_baseline;

struct Steps : baseline::BaselineSteps {
  static constexpr std::uint32_t kMost = 100;

  static baseline::Plan PlanFor(std::size_t rows, std::size_t vocabulary, std::size_t k) {
    if (k > 32 && k <= kMost && vocabulary > 32'768) {
      return {.variant = baseline::Variant::kLargeK, .splits = 1, .elements_per_split = vocabulary};
    }
    return baseline::MakePlan(rows, vocabulary, k);
  }

  template <std::uint32_t threads, typename Storage>
  __device__ static void BeforeWriting(Storage* lists, std::uint32_t /*groups*/, std::uint32_t k) {
    using Large = baseline::VariantSizes<baseline::Variant::kLargeK>::Storage;
    if constexpr (std::is_same_v<Storage, Large>) {
      if (k <= kMost && threadIdx.x == 0) {
        lists->keys[k - 1] = lists->keys[k - 2];
      }
      __syncthreads();
    }
  }
};

}  // namespace

extern "C" {

size_t softmax_topk_workspace_bytes(size_t rows, size_t vocabulary, size_t k) {
  return rows == 0 || k == 0 || k > vocabulary
             ? 0
             : baseline::WorkspaceBytes(baseline::MakePlan(rows, vocabulary, k), rows, k);
}
SOFTMAX_TOPK_EXPORT_TYPE(baseline::BaselineSteps, f32, float, float)
SOFTMAX_TOPK_EXPORT_TYPE(Steps, f16, uint16_t, __half)
SOFTMAX_TOPK_EXPORT_TYPE(Steps, bf16, uint16_t, __nv_bfloat16)

}  // extern "C"
