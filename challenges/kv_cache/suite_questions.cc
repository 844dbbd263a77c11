// SPDX-License-Identifier: Apache-2.0
// The right answers to the questions of challenge.yaml. Tolerances are those of PROMPT.md.

#include <cstdint>

#include "calculators.h"
#include "client/case.h"

namespace assay::kvcache {
namespace {

constexpr double kExact = 5e-4;
constexpr double kContext = 0.01;  ///< Parameters are known to three digits by most.
constexpr double kTraffic = 0.01;
constexpr double kIntensity = 0.05;  ///< Softmax may be counted or not.

constexpr Heads kMha{.query_heads = 32, .kv_heads = 32, .head_size = 128};
constexpr Heads kGqa{.query_heads = 32, .kv_heads = 8, .head_size = 128};
constexpr Heads kMqa{.query_heads = 32, .kv_heads = 1, .head_size = 128};
constexpr Heads kSmallGqa{.query_heads = 64, .kv_heads = 8, .head_size = 64};

constexpr Attention kMha4096{.heads = kMha, .tokens = 4096};
constexpr Attention kGqa512{.heads = kGqa, .tokens = 512};

bool RegisterMemory() {
  constexpr std::int64_t kShort[] = {1, 15, 16, 17, 100, 1000};
  constexpr std::int64_t kMixed[] = {3, 64, 129, 700, 4096};
  return RegisterQuestion("memory_token_llama_2_7b_f16", TokenBytes(kLlama2Of7B, KV_F16), kExact) &&
         RegisterQuestion("memory_token_llama_2_13b_f16", TokenBytes(kLlama2Of13B, KV_F16),
                          kExact) &&
         RegisterQuestion("memory_token_llama_2_70b_f16", TokenBytes(kLlama2Of70B, KV_F16),
                          kExact) &&
         RegisterQuestion("memory_token_llama_3_8b_f16", TokenBytes(kLlama3Of8B, KV_F16), kExact) &&
         RegisterQuestion("memory_token_mistral_7b_f16", TokenBytes(kMistral7B, KV_F16), kExact) &&
         RegisterQuestion("memory_token_gpt_4_class_f16", TokenBytes(kGpt4Class, KV_F16), kExact) &&
         RegisterQuestion("memory_token_llama_3_8b_int8", TokenBytes(kLlama3Of8B, KV_INT8),
                          kExact) &&
         RegisterQuestion("memory_token_llama_2_70b_int4", TokenBytes(kLlama2Of70B, KV_INT4),
                          kExact) &&
         RegisterQuestion("memory_cache_llama_2_7b_8x4096_f16",
                          CacheBytes(kLlama2Of7B, KV_F16, 8, 4096), kExact) &&
         RegisterQuestion("memory_cache_llama_3_8b_32x8192_f16",
                          CacheBytes(kLlama3Of8B, KV_F16, 32, 8192), kExact) &&
         RegisterQuestion("memory_window_mistral_7b_2x3000_f16",
                          WindowedCacheBytes(kMistral7B, KV_F16, 2, 3000), kExact) &&
         RegisterQuestion("memory_window_mistral_7b_1x32768_f16",
                          WindowedCacheBytes(kMistral7B, KV_F16, 1, 32768), kExact) &&
         RegisterQuestion("memory_pages_utilisation_16", PageUtilisation(kShort, 16), kExact) &&
         RegisterQuestion("memory_pages_utilisation_64", PageUtilisation(kMixed, 64), kExact) &&
         RegisterQuestion("memory_pages_fork_1000x4", PagesAfterFork(1000, 4, 20, 16), kExact) &&
         RegisterQuestion("memory_pages_fork_1024x4", PagesAfterFork(1024, 4, 20, 16), kExact);
}

bool RegisterContext() {
  constexpr Placement kF16{};
  return RegisterQuestion("context_llama_2_7b_rtx_4090",
                          LargestContext(kLlama2Of7B, kRtx4090, kF16), kContext) &&
         RegisterQuestion("context_llama_2_13b_rtx_4090",
                          LargestContext(kLlama2Of13B, kRtx4090, kF16), kContext) &&
         RegisterQuestion("context_mistral_7b_rtx_4090", LargestContext(kMistral7B, kRtx4090, kF16),
                          kContext) &&
         RegisterQuestion("context_llama_2_13b_a100_40",
                          LargestContext(kLlama2Of13B, kA100With40, kF16), kContext) &&
         RegisterQuestion("context_llama_2_70b_w4_a100_80",
                          LargestContext(kLlama2Of70B, kA100With80, {.weight_bits = 4}),
                          kContext) &&
         RegisterQuestion("context_llama_3_8b_int8_h100_80",
                          LargestContext(kLlama3Of8B, kH100With80, {.storage = KV_INT8}),
                          kContext) &&
         RegisterQuestion("context_llama_2_7b_batch_16_h100_80",
                          LargestContext(kLlama2Of7B, kH100With80, {.sequences = 16}), kContext) &&
         RegisterQuestion("context_gpt_4_class_cache_h100_80",
                          LargestContext(kGpt4Class, kH100With80, {.weight_bits = 0}), kContext) &&
         RegisterQuestion("context_sequences_llama_3_8b_8192_a100_80",
                          MostSequences(kLlama3Of8B, kA100With80, kF16, 8192), kContext);
}

bool RegisterIntensity() {
  constexpr Attention kMqa8192{.heads = kMqa, .tokens = 8192, .storage = KV_INT8, .query_bytes = 4};
  constexpr Attention kMqa8192F16{.heads = kMqa, .tokens = 8192};
  constexpr Attention kSmall1000{
      .heads = kSmallGqa, .tokens = 1000, .storage = KV_F32, .query_bytes = 4};
  return RegisterQuestion("intensity_decode_mha_4096_f16", DecodeIntensity(kMha4096), kIntensity) &&
         RegisterQuestion("intensity_decode_gqa_1000_f32", DecodeIntensity(kSmall1000),
                          kIntensity) &&
         RegisterQuestion("intensity_decode_mqa_8192_int8", DecodeIntensity(kMqa8192),
                          kIntensity) &&
         RegisterQuestion("intensity_prefill_mha_4096_f16", PrefillIntensity(kMha4096),
                          kIntensity) &&
         RegisterQuestion("intensity_prefill_gqa_512_f16", PrefillIntensity(kGqa512), kIntensity) &&
         RegisterQuestion("intensity_ridge_a100_80_f16", F16TensorRidge(kA100With80), kTraffic) &&
         RegisterQuestion("intensity_ridge_h100_80_f16", F16TensorRidge(kH100With80), kTraffic) &&
         RegisterQuestion("intensity_bound_decode_mha_h100_80",
                          Bound(DecodeIntensity(kMha4096), F16TensorRidge(kH100With80))) &&
         RegisterQuestion("intensity_bound_decode_mqa_a100_80_f32",
                          Bound(DecodeIntensity(kMqa8192F16), F32Ridge(kA100With80))) &&
         RegisterQuestion("intensity_bound_prefill_gqa_512_a100_80",
                          Bound(PrefillIntensity(kGqa512), F16TensorRidge(kA100With80))) &&
         RegisterQuestion("intensity_bound_prefill_gqa_512_h100_80",
                          Bound(PrefillIntensity(kGqa512), F16TensorRidge(kH100With80))) &&
         RegisterQuestion("intensity_crossover_mha_a100_80",
                          ComputeBoundPrefillTokens(kMha4096, F16TensorRidge(kA100With80)),
                          kTraffic) &&
         RegisterQuestion("intensity_crossover_gqa_h100_80",
                          ComputeBoundPrefillTokens(kGqa512, F16TensorRidge(kH100With80)),
                          kTraffic);
}

bool RegisterGpu() {
  constexpr std::int64_t kEqual[] = {2048, 2048, 2048, 2048, 2048, 2048, 2048, 2048};
  constexpr std::int64_t kRagged[] = {1, 100, 5000};
  const PagedDecode even{.heads = kGqa, .lengths = kEqual, .page_size = 16, .element_bytes = 2};
  const PagedDecode ragged{
      .heads = kSmallGqa, .lengths = kRagged, .page_size = 32, .element_bytes = 4};
  return RegisterQuestion("gpu_decode_bytes_8x2048_f16", PagedDecodeBytes(even), kTraffic) &&
         RegisterQuestion("gpu_decode_bytes_ragged_f32", PagedDecodeBytes(ragged), kTraffic) &&
         RegisterQuestion("gpu_decode_overread_8x2048_f16", PagedDecodeOverread(even), kTraffic) &&
         RegisterQuestion("gpu_decode_overread_ragged_f32", PagedDecodeOverread(ragged),
                          kTraffic) &&
         RegisterQuestion("gpu_splits_1x8_h100_80", FewestSplits(1, kGqa, kH100With80), 0) &&
         RegisterQuestion("gpu_splits_4x8_a100_80", FewestSplits(4, kGqa, kA100With80), 0) &&
         RegisterQuestion("gpu_tile_d128_f16_2_stages_h100_80", LargestTile(128, 2, 2, kH100With80),
                          0) &&
         RegisterQuestion("gpu_tile_d64_f16_3_stages_rtx_4090", LargestTile(64, 2, 3, kRtx4090),
                          0) &&
         RegisterQuestion("gpu_mma_rows_group_4", MmaRowShare(kGqa, 1), kExact) &&
         RegisterQuestion("gpu_mma_rows_group_8_5_queries", MmaRowShare(kSmallGqa, 5), kExact);
}

[[maybe_unused]] const bool kRegistered =
    RegisterMemory() && RegisterContext() && RegisterIntensity() && RegisterGpu();

}  // namespace
}  // namespace assay::kvcache
