// SPDX-License-Identifier: Apache-2.0
#include "calculators.h"

#include <gtest/gtest.h>

namespace assay::kvcache {
namespace {

// Small enough to count on paper: two query heads share each of two KV heads of 40 elements.
constexpr Heads kSmall{.query_heads = 4, .kv_heads = 2, .head_size = 40};
constexpr Model kTiny{.layers = 3, .heads = kSmall, .parameters = 1000, .window = 5};
constexpr Gpu kToyGpu{.memory_bytes = kReserve_bytes + 100'000,
                      .f16_tensor_flops_per_second = 1000,
                      .f32_flops_per_second = 50,
                      .bytes_per_second = 100,
                      .multiprocessors = 10,
                      .shared_bytes = 8000};
constexpr Gpu kFullGpu{.memory_bytes = kReserve_bytes + 1999};

constexpr Heads kGqa{.query_heads = 32, .kv_heads = 8, .head_size = 128};

TEST(Calculators, LayerTokenBytesCountedByHand) {
  EXPECT_EQ(LayerTokenBytes(kSmall, KV_F32), 640);   // 4 rows (2 heads, K and V) of 160
  EXPECT_EQ(LayerTokenBytes(kSmall, KV_F16), 320);   // 4 rows of 80
  EXPECT_EQ(LayerTokenBytes(kSmall, KV_INT8), 176);  // 4 rows of 40 codes and one scale of 4
  // 40 elements are 20 bytes of codes, and two groups (32 and 8) with a scale each: 28.
  EXPECT_EQ(LayerTokenBytes(kSmall, KV_INT4), 112);
  // An odd head: 33 elements are 17 bytes, and two scales: 25 for K, 25 for V.
  EXPECT_EQ(LayerTokenBytes({.query_heads = 1, .kv_heads = 1, .head_size = 33}, KV_INT4), 50);
}

TEST(Calculators, TokenBytesOfPublishedModels) {
  // 512, 800, 320 and 128 KiB are the figures that papers and blogs quote for these models.
  EXPECT_EQ(TokenBytes(kLlama2Of7B, KV_F16), 524'288);   // 32 layers of 2 * 8192 bytes
  EXPECT_EQ(TokenBytes(kLlama2Of13B, KV_F16), 819'200);  // 40 layers of 2 * 10240
  EXPECT_EQ(TokenBytes(kLlama2Of70B, KV_F16), 327'680);  // 80 layers of 2 * 2048
  EXPECT_EQ(TokenBytes(kLlama3Of8B, KV_F16), 131'072);   // 32 layers of 2 * 2048
  EXPECT_EQ(TokenBytes(kMistral7B, KV_F16), 131'072);
  EXPECT_EQ(TokenBytes(kGpt4Class, KV_F16), 5'898'240);   // 120 layers of 2 * 24576
  EXPECT_EQ(TokenBytes(kLlama3Of8B, KV_INT8), 67'584);    // 32 layers of 16 rows of 132
  EXPECT_EQ(TokenBytes(kLlama2Of70B, KV_INT4), 102'400);  // 80 layers of 16 rows of 64 + 16
}

TEST(Calculators, ParametersFollowFromTheArchitectures) {
  // Embedding and output 2 * 32000 * 4096 = 262,144,000 and the last norm 4096; each of 32 layers
  // 4 * 4096^2 = 67,108,864 for attention, 3 * 4096 * 11008 = 135,266,304, two norms 8192.
  EXPECT_EQ(kLlama2Of7B.parameters, 262'144'000 + 4096 + 32 * 202'383'360LL);
  // 2 * 32000 * 5120; 4 * 5120^2 = 104,857,600; 3 * 5120 * 13824 = 212,336,640; norms 10240.
  EXPECT_EQ(kLlama2Of13B.parameters, 327'680'000 + 5120 + 40 * 317'204'480LL);
  // 2 * 32000 * 8192; 2 * 8192^2 + 2 * 8192 * 1024 = 150,994,944; 3 * 8192 * 28672 = 704,643,072.
  EXPECT_EQ(kLlama2Of70B.parameters, 524'288'000 + 8192 + 80 * 855'654'400LL);
  // 2 * 128256 * 4096; 2 * 4096^2 + 2 * 4096 * 1024 = 41,943,040; 3 * 4096 * 14336 = 176,160,768.
  EXPECT_EQ(kLlama3Of8B.parameters, 1'050'673'152 + 4096 + 32 * 218'112'000LL);
  EXPECT_EQ(kMistral7B.parameters, 262'144'000 + 4096 + 32 * 218'112'000LL);
}

TEST(Calculators, CacheGrowsWithBatchAndLength) {
  EXPECT_EQ(CacheBytes(kTiny, KV_F16, 2, 7), 13'440);  // 14 tokens of 3 * 320
  EXPECT_EQ(CacheBytes(kLlama2Of7B, KV_F16, 8, 4096), 16 * kGiB);
  EXPECT_EQ(CacheBytes(kLlama3Of8B, KV_F16, 32, 8192), 32 * kGiB);
}

TEST(Calculators, AWindowKeepsItsNewestTokens) {
  EXPECT_EQ(WindowedCacheBytes(kTiny, KV_F16, 2, 4), 7680);  // 8 tokens of 960: all fit
  EXPECT_EQ(WindowedCacheBytes(kTiny, KV_F16, 2, 7), 9600);  // 10 tokens of 960
  EXPECT_EQ(WindowedCacheBytes(kMistral7B, KV_F16, 1, 32768), 536'870'912);  // 4096 * 128 KiB
  EXPECT_EQ(WindowedCacheBytes(kLlama3Of8B, KV_F16, 1, 32768), 4 * kGiB);    // no window
}

TEST(Calculators, PagesCountedByHand) {
  constexpr std::int64_t kLengths[] = {0, 1, 15, 16, 17, 100};
  EXPECT_EQ(PagesInUse(kLengths, 16), 12);                                // 0 + 1 + 1 + 1 + 2 + 7
  EXPECT_DOUBLE_EQ(PageUtilisation(kLengths, 16), 0.776041666666666667);  // 149 of 192 slots
  EXPECT_EQ(PagesInUse(kLengths, 1), 149);
  EXPECT_DOUBLE_EQ(PageUtilisation(kLengths, 1), 1);
}

TEST(Calculators, AForkedChildCopiesThePartialPageAlone) {
  // 10 tokens in pages of 4 are two full pages and a half: the child of 13 tokens shares two pages
  // and has two of its own.
  EXPECT_EQ(PagesAfterFork(10, 1, 3, 4), 5);
  EXPECT_EQ(PagesAfterFork(10, 3, 3, 4), 9);
  EXPECT_EQ(PagesAfterFork(8, 1, 3, 4), 3);   // nothing to copy: one new page
  EXPECT_EQ(PagesAfterFork(10, 3, 0, 4), 3);  // as long as nobody stores, all is shared
}

TEST(Calculators, ContextIsWhatWeightsAndReserveLeave) {
  // 100,000 - 2000 bytes of weights = 98,000; a token has 960: 102.08. Three sequences: 34.03.
  EXPECT_EQ(LargestContext(kTiny, kToyGpu, {}), 102);
  EXPECT_EQ(LargestContext(kTiny, kToyGpu, {.sequences = 3}), 34);
  EXPECT_EQ(LargestContext(kTiny, kToyGpu, {.weight_bits = 4}), 103);    // 99,500 / 960 = 103.6
  EXPECT_EQ(LargestContext(kTiny, kToyGpu, {.weight_bits = 0}), 104);    // 100,000 / 960 = 104.2
  EXPECT_EQ(LargestContext(kTiny, kToyGpu, {.storage = KV_INT8}), 185);  // 98,000 / 528 = 185.6
  EXPECT_EQ(MostSequences(kTiny, kToyGpu, {}, 50), 2);                   // 98,000 / 48,000
  EXPECT_EQ(CacheRoom(kTiny, kFullGpu, {}), 0);                          // a byte short
}

TEST(Calculators, ContextOfPublishedModels) {
  // 24 GiB - 1 GiB = 24,696,061,952. Weights 13,476,831,232 leave 11,219,230,720: 21,398.98 tokens.
  EXPECT_EQ(LargestContext(kLlama2Of7B, kRtx4090, {}), 21'398);
  // Weights 26,031,728,640.
  EXPECT_EQ(LargestContext(kLlama2Of13B, kRtx4090, {}), 0);
  // 80 GiB - 1 GiB = 84,825,604,096, less 16,060,522,496: 64.04 sequences of 8192 * 131,072 = 1
  // GiB.
  EXPECT_EQ(MostSequences(kLlama3Of8B, kA100With80, {}, 8192), 64);
  // Half a byte a parameter: 34,488,324,096 leave 50,337,280,000; 153,617.19 tokens of 327,680.
  EXPECT_EQ(LargestContext(kLlama2Of70B, kA100With80, {.weight_bits = 4}), 153'617);
  EXPECT_EQ(LargestContext(kLlama2Of70B, kA100With80, {}), 0);
}

TEST(Calculators, DecodeCountedByHand) {
  constexpr Attention kDecode{.heads = kSmall, .tokens = 10, .storage = KV_F16, .query_bytes = 2};
  // 4 heads, each 10 scores of 40 products and sums, and as many for the values.
  EXPECT_EQ(DecodeFlops(kDecode), 6400);
  // 10 tokens of 320 bytes; q and out 160 elements each, 640 bytes.
  EXPECT_EQ(DecodeBytes(kDecode), 3840);
  EXPECT_DOUBLE_EQ(DecodeIntensity(kDecode), 1.66666666666666667);
}

TEST(Calculators, PrefillCountsTheTriangle) {
  constexpr Attention kPrefill{.heads = kSmall, .tokens = 3, .storage = KV_F32, .query_bytes = 4};
  // 1 + 2 + 3 = 6 pairs of a query and a token, each 4 heads of 2 * 40 + 2 * 40.
  EXPECT_EQ(PrefillFlops(kPrefill), 3840);
  // Three times 640 of K and V, 1280 of q and out.
  EXPECT_EQ(PrefillBytes(kPrefill), 5760);
  EXPECT_DOUBLE_EQ(PrefillIntensity(kPrefill), 0.666666666666666667);
}

TEST(Calculators, RidgeSeparatesMemoryFromCompute) {
  EXPECT_DOUBLE_EQ(F16TensorRidge(kToyGpu), 10);
  EXPECT_DOUBLE_EQ(F32Ridge(kToyGpu), 0.5);
  EXPECT_EQ(Bound(9.99, 10), "memory");
  EXPECT_EQ(Bound(10, 10), "compute");
  EXPECT_NEAR(F16TensorRidge(kA100With80), 153.02, 0.01);  // 312 / 2.039
  EXPECT_NEAR(F16TensorRidge(kH100With80), 295.34, 0.01);  // 989.4 / 3.35
}

TEST(Calculators, PrefillCrossesTheRidge) {
  // 32 and 8 heads in f16: n tokens have 32 (n + 1) / (40 * 2) = 0.4 (n + 1) FLOP a byte.
  constexpr Attention kPrefill{.heads = kGqa};
  EXPECT_EQ(ComputeBoundPrefillTokens(kPrefill, 10), 24);    // 0.4 * 25 is 10
  EXPECT_EQ(ComputeBoundPrefillTokens(kPrefill, 10.1), 25);  // 0.4 * 26 = 10.4
  EXPECT_EQ(ComputeBoundPrefillTokens(kPrefill, 0.1), 1);
}

TEST(Calculators, PagedDecodeReadsEachKvHeadOnce) {
  constexpr std::int64_t kLengths[] = {3, 0, 9};
  const PagedDecode decode{
      .heads = kSmall, .lengths = kLengths, .page_size = 4, .element_bytes = 2};
  // 12 tokens of 320 bytes; 3 queries and outputs of 640; 1 + 0 + 3 pages of 4.
  EXPECT_EQ(PagedDecodeBytes(decode), 5776);
  EXPECT_DOUBLE_EQ(PagedDecodeOverread(decode), 1.66481994459833795);  // 3840 more: 9616 / 5776
}

TEST(Calculators, SplitsFillTheMultiprocessors) {
  EXPECT_EQ(FewestSplits(1, kSmall, kToyGpu), 5);     // 2 blocks a split, 10 multiprocessors
  EXPECT_EQ(FewestSplits(2, kSmall, kToyGpu), 3);     // 4 blocks: 8 are too few
  EXPECT_EQ(FewestSplits(7, kSmall, kToyGpu), 1);     // 14 are enough
  EXPECT_EQ(FewestSplits(1, kGqa, kH100With80), 17);  // 16 * 8 = 128 < 132 <= 136
  EXPECT_EQ(FewestSplits(4, kGqa, kA100With80), 4);   // 3 * 32 = 96 < 108 <= 128
}

TEST(Calculators, TilesAreMultiplesOfSixteen) {
  EXPECT_EQ(LargestTile(40, 2, 1, kToyGpu), 48);        // 160 bytes a token: 50
  EXPECT_EQ(LargestTile(40, 2, 2, kToyGpu), 16);        // 320 bytes a token: 25
  EXPECT_EQ(LargestTile(128, 2, 2, kH100With80), 224);  // 227 KiB over 1 KiB a token
  EXPECT_EQ(LargestTile(64, 2, 3, kRtx4090), 128);      // 101,376 over 768: 132
}

TEST(Calculators, GroupsFillRowsOfTheTensorCore) {
  EXPECT_DOUBLE_EQ(MmaRowShare(kGqa, 1), 0.25);     // 4 of 16
  EXPECT_DOUBLE_EQ(MmaRowShare(kGqa, 4), 1);        // 16 of 16
  EXPECT_DOUBLE_EQ(MmaRowShare(kGqa, 5), 0.625);    // 20 of 32
  EXPECT_DOUBLE_EQ(MmaRowShare(kSmall, 1), 0.125);  // 2 of 16
}

}  // namespace
}  // namespace assay::kvcache
