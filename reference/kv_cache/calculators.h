// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_KV_CACHE_CALCULATORS_H_
#define ASSAY_REFERENCE_KV_CACHE_CALCULATORS_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "interface.h"

namespace assay::kvcache {

/// What a cache and attention over it cost: the right answers to the challenge's questions
/// (PROMPT.md says how things are counted). Pure; exact while the numbers stay below 2^62.

/// Heads of one layer's attention; kv_heads divides query_heads.
struct Heads {
  std::int64_t query_heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t head_size = 0;
};

struct Model {
  std::int64_t layers = 0;
  Heads heads;
  std::int64_t parameters = 0;  ///< Elements of all weights, embedding and output included.
  std::int64_t window = 0;      ///< Newest tokens that attention sees; 0: all.
};

/// Llama 2: arXiv:2307.09288 (grouped queries in the 70B model alone: section 2.2), layers and
/// heads as in the config.json of meta-llama/Llama-2-7b-hf, -13b-hf, -70b-hf. The parameters follow
/// from them with width w, MLP width m and vocabulary v: 2 v w + w + layers * (2 w^2 + 2 w
/// kv_heads head_size + 3 w m + 2 w); (w, m) are (4096, 11008), (5120, 13824), (8192, 28672),
/// v = 32000.
inline constexpr Model kLlama2Of7B{.layers = 32,
                                   .heads = {.query_heads = 32, .kv_heads = 32, .head_size = 128},
                                   .parameters = 6'738'415'616};
inline constexpr Model kLlama2Of13B{.layers = 40,
                                    .heads = {.query_heads = 40, .kv_heads = 40, .head_size = 128},
                                    .parameters = 13'015'864'320};
inline constexpr Model kLlama2Of70B{.layers = 80,
                                    .heads = {.query_heads = 64, .kv_heads = 8, .head_size = 128},
                                    .parameters = 68'976'648'192};
/// Llama 3: arXiv:2407.21783, table 3; config.json of meta-llama/Meta-Llama-3-8B. Parameters as
/// above with w = 4096, m = 14336, v = 128256.
inline constexpr Model kLlama3Of8B{.layers = 32,
                                   .heads = {.query_heads = 32, .kv_heads = 8, .head_size = 128},
                                   .parameters = 8'030'261'248};
/// Mistral 7B: arXiv:2310.06825, table 1; config.json of mistralai/Mistral-7B-v0.1. Parameters as
/// above with w = 4096, m = 14336, v = 32000.
inline constexpr Model kMistral7B{.layers = 32,
                                  .heads = {.query_heads = 32, .kv_heads = 8, .head_size = 128},
                                  .parameters = 7'241'732'096,
                                  .window = 4096};
/// Nothing is published: PROMPT.md states these numbers as an assumption, with one KV head for each
/// query head as in GPT-3 (arXiv:2005.14165, table 2.1: 96 layers, 96 heads of 128). No question
/// needs its parameters.
inline constexpr Model kGpt4Class{.layers = 120,
                                  .heads = {.query_heads = 96, .kv_heads = 96, .head_size = 128}};

/// Bytes of K and V of one token in one layer, with the scales that interface.h asks for.
[[nodiscard]] std::int64_t LayerTokenBytes(const Heads& heads, kv_storage storage);
/// The same in all layers.
[[nodiscard]] std::int64_t TokenBytes(const Model& model, kv_storage storage);
/// A cache of so many sequences of `length` tokens each.
[[nodiscard]] std::int64_t CacheBytes(const Model& model, kv_storage storage,
                                      std::int64_t sequences, std::int64_t length);
/// The same when what lies outside the model's window is overwritten.
[[nodiscard]] std::int64_t WindowedCacheBytes(const Model& model, kv_storage storage,
                                              std::int64_t sequences, std::int64_t length);

/// Pages of sequences that share none: the sum of ceil(length / page_size).
[[nodiscard]] std::int64_t PagesInUse(std::span<const std::int64_t> lengths,
                                      std::int64_t page_size);
/// Tokens stored over the slots of the pages in use.
[[nodiscard]] double PageUtilisation(std::span<const std::int64_t> lengths, std::int64_t page_size);
/// Pages in use after a sequence of `length` tokens was forked into `children`, each of which then
/// stored `appended` tokens of its own: a child shares the parent's full pages and nothing else.
[[nodiscard]] std::int64_t PagesAfterFork(std::int64_t length, std::int64_t children,
                                          std::int64_t appended, std::int64_t page_size);

/// A GPU as PROMPT.md states it. Peaks without sparsity, from NVIDIA's datasheets of the A100 (SXM)
/// and the H100 (SXM) and the white paper of the Ada architecture (f16 with f32 accumulators);
/// shared memory of one block from the CUDA C++ Programming Guide, compute capabilities 8.0, 8.9
/// and 9.0.
struct Gpu {
  std::int64_t memory_bytes = 0;
  double f16_tensor_flops_per_second = 0;
  double f32_flops_per_second = 0;
  double bytes_per_second = 0;
  std::int64_t multiprocessors = 0;
  std::int64_t shared_bytes = 0;  ///< That one block can have.
};

inline constexpr std::int64_t kKiB = 1024;
inline constexpr std::int64_t kGiB = kKiB * kKiB * kKiB;
/// Of a GPU's memory, for everything that is neither weights nor cache.
inline constexpr std::int64_t kReserve_bytes = kGiB;

inline constexpr Gpu kRtx4090{.memory_bytes = 24 * kGiB,
                              .f16_tensor_flops_per_second = 165.2e12,
                              .f32_flops_per_second = 82.6e12,
                              .bytes_per_second = 1.008e12,
                              .multiprocessors = 128,
                              .shared_bytes = 99 * kKiB};
inline constexpr Gpu kA100With40{.memory_bytes = 40 * kGiB,
                                 .f16_tensor_flops_per_second = 312e12,
                                 .f32_flops_per_second = 19.5e12,
                                 .bytes_per_second = 1.555e12,
                                 .multiprocessors = 108,
                                 .shared_bytes = 163 * kKiB};
inline constexpr Gpu kA100With80{.memory_bytes = 80 * kGiB,
                                 .f16_tensor_flops_per_second = 312e12,
                                 .f32_flops_per_second = 19.5e12,
                                 .bytes_per_second = 2.039e12,
                                 .multiprocessors = 108,
                                 .shared_bytes = 163 * kKiB};
inline constexpr Gpu kH100With80{.memory_bytes = 80 * kGiB,
                                 .f16_tensor_flops_per_second = 989.4e12,
                                 .f32_flops_per_second = 66.9e12,
                                 .bytes_per_second = 3.35e12,
                                 .multiprocessors = 132,
                                 .shared_bytes = 227 * kKiB};

/// What is kept on one GPU.
struct Placement {
  std::int64_t weight_bits = 16;  ///< Of each parameter; 0: the weights lie elsewhere.
  kv_storage storage = KV_F16;
  std::int64_t sequences = 1;  ///< All of the same length.
};

/// Bytes that reserve and weights leave for the cache; 0 when they do not fit.
[[nodiscard]] std::int64_t CacheRoom(const Model& model, const Gpu& gpu, const Placement& placed);
/// Most tokens that each sequence can have, all of them kept, whatever the model was trained for.
[[nodiscard]] std::int64_t LargestContext(const Model& model, const Gpu& gpu,
                                          const Placement& placed);
/// Most sequences of `length` tokens; placed.sequences does not matter.
[[nodiscard]] std::int64_t MostSequences(const Model& model, const Gpu& gpu,
                                         const Placement& placed, std::int64_t length);

/// Attention in one layer. Decode: one query that sees `tokens`. Prefill: as many queries as
/// tokens, into an empty sequence, each of which sees itself and those before it.
struct Attention {
  Heads heads;
  std::int64_t tokens = 0;
  kv_storage storage = KV_F16;
  std::int64_t query_bytes = 2;  ///< Of an element of q and out.
};

/// q k and p v alone, each multiplication and each addition one: 4 query_heads head_size for each
/// query and each token that it sees.
[[nodiscard]] std::int64_t DecodeFlops(const Attention& attention);
[[nodiscard]] std::int64_t PrefillFlops(const Attention& attention);
/// K and V once for each KV head, q and out.
[[nodiscard]] std::int64_t DecodeBytes(const Attention& attention);
[[nodiscard]] std::int64_t PrefillBytes(const Attention& attention);
[[nodiscard]] double DecodeIntensity(const Attention& attention);
[[nodiscard]] double PrefillIntensity(const Attention& attention);

/// FLOP a byte at which both limits of the roofline meet (Williams, Waterman, Patterson: Roofline,
/// CACM 52(4), 2009).
[[nodiscard]] double F16TensorRidge(const Gpu& gpu);
[[nodiscard]] double F32Ridge(const Gpu& gpu);
/// "memory" below the ridge, else "compute".
[[nodiscard]] std::string_view Bound(double intensity, double ridge);
/// Fewest tokens of a prefill that compute bounds; attention.tokens does not matter. Its intensity
/// grows with every token.
[[nodiscard]] std::int64_t ComputeBoundPrefillTokens(const Attention& attention, double ridge);

/// One layer's decode over a paged cache: a query for each sequence.
struct PagedDecode {
  Heads heads;
  std::span<const std::int64_t> lengths;
  std::int64_t page_size = 16;
  std::int64_t element_bytes = 2;  ///< Of K, V, q and out.
};

/// K and V once for each KV head, q, out, and 4 bytes for each page.
[[nodiscard]] std::int64_t PagedDecodeBytes(const PagedDecode& decode);
/// K and V once for each query head, over that.
[[nodiscard]] double PagedDecodeOverread(const PagedDecode& decode);
/// Into how many parts each sequence has to be cut, so that one block for each sequence, KV head
/// and part makes at least one for each multiprocessor.
[[nodiscard]] std::int64_t FewestSplits(std::int64_t sequences, const Heads& heads, const Gpu& gpu);
/// Most tokens, in multiples of 16, of a tile of K and one of V, `stages` of each, that fit into a
/// block's shared memory.
[[nodiscard]] std::int64_t LargestTile(std::int64_t head_size, std::int64_t element_bytes,
                                       std::int64_t stages, const Gpu& gpu);
/// Share of the 16 rows of mma.m16n8k16 that do work when the rows are the queries of one KV head:
/// so many for each of its query heads.
[[nodiscard]] double MmaRowShare(const Heads& heads, std::int64_t queries);

}  // namespace assay::kvcache

#endif  // ASSAY_REFERENCE_KV_CACHE_CALCULATORS_H_
