// SPDX-License-Identifier: Apache-2.0
#include "calculators.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace assay::kvcache {
namespace {

constexpr std::int64_t kGroup = 32;       ///< Elements that share a scale in KV_INT4.
constexpr std::int64_t kScale_bytes = 4;  ///< A float.
constexpr std::int64_t kMmaRows = 16;
constexpr std::int64_t kTileStep = 16;  ///< Tokens: the depth of mma.m16n8k16.
constexpr std::int64_t kPageEntry_bytes = 4;

std::int64_t CeilDiv(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

double Ratio(std::int64_t a, std::int64_t b) {
  return static_cast<double>(a) / static_cast<double>(b);
}

/// K, or V, of one token and head.
std::int64_t RowBytes(std::int64_t head_size, kv_storage storage) {
  switch (storage) {
    case KV_F32:
      return 4 * head_size;
    case KV_F16:
      return 2 * head_size;
    case KV_INT8:
      return head_size + kScale_bytes;
    case KV_INT4:
      return CeilDiv(head_size, 2) + kScale_bytes * CeilDiv(head_size, kGroup);
  }
  return 0;
}

std::int64_t QueryAndOutputBytes(const Heads& heads, std::int64_t element_bytes) {
  return 2 * heads.query_heads * heads.head_size * element_bytes;
}

/// Of a query over one token: 2 head_size for the score, as many for the sum of values.
std::int64_t PairFlops(const Heads& heads) { return 4 * heads.query_heads * heads.head_size; }

std::int64_t Sum(std::span<const std::int64_t> lengths) {
  return std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
}

/// K and V once for each of `readers` heads.
std::int64_t PagedBytesReadBy(std::int64_t readers, const PagedDecode& decode) {
  const Heads& heads = decode.heads;
  const auto queries = static_cast<std::int64_t>(decode.lengths.size());
  return Sum(decode.lengths) * readers * 2 * heads.head_size * decode.element_bytes +
         queries * QueryAndOutputBytes(heads, decode.element_bytes) +
         PagesInUse(decode.lengths, decode.page_size) * kPageEntry_bytes;
}

}  // namespace

std::int64_t LayerTokenBytes(const Heads& heads, kv_storage storage) {
  return heads.kv_heads * 2 * RowBytes(heads.head_size, storage);
}

std::int64_t TokenBytes(const Model& model, kv_storage storage) {
  return model.layers * LayerTokenBytes(model.heads, storage);
}

std::int64_t CacheBytes(const Model& model, kv_storage storage, std::int64_t sequences,
                        std::int64_t length) {
  return sequences * length * TokenBytes(model, storage);
}

std::int64_t WindowedCacheBytes(const Model& model, kv_storage storage, std::int64_t sequences,
                                std::int64_t length) {
  const std::int64_t kept = model.window > 0 ? std::min(length, model.window) : length;
  return CacheBytes(model, storage, sequences, kept);
}

std::int64_t PagesInUse(std::span<const std::int64_t> lengths, std::int64_t page_size) {
  return std::transform_reduce(
      lengths.begin(), lengths.end(), std::int64_t{0}, std::plus{},
      [page_size](std::int64_t length) { return CeilDiv(length, page_size); });
}

double PageUtilisation(std::span<const std::int64_t> lengths, std::int64_t page_size) {
  return Ratio(Sum(lengths), PagesInUse(lengths, page_size) * page_size);
}

std::int64_t PagesAfterFork(std::int64_t length, std::int64_t children, std::int64_t appended,
                            std::int64_t page_size) {
  const std::int64_t shared = appended > 0 ? length / page_size : CeilDiv(length, page_size);
  return CeilDiv(length, page_size) + children * (CeilDiv(length + appended, page_size) - shared);
}

std::int64_t CacheRoom(const Model& model, const Gpu& gpu, const Placement& placed) {
  const std::int64_t weights = model.parameters * placed.weight_bits / 8;
  return std::max<std::int64_t>(0, gpu.memory_bytes - kReserve_bytes - weights);
}

std::int64_t LargestContext(const Model& model, const Gpu& gpu, const Placement& placed) {
  return CacheRoom(model, gpu, placed) / (placed.sequences * TokenBytes(model, placed.storage));
}

std::int64_t MostSequences(const Model& model, const Gpu& gpu, const Placement& placed,
                           std::int64_t length) {
  return CacheRoom(model, gpu, placed) / CacheBytes(model, placed.storage, 1, length);
}

std::int64_t DecodeFlops(const Attention& attention) {
  return PairFlops(attention.heads) * attention.tokens;
}

std::int64_t PrefillFlops(const Attention& attention) {
  return PairFlops(attention.heads) * (attention.tokens * (attention.tokens + 1) / 2);
}

std::int64_t DecodeBytes(const Attention& attention) {
  return attention.tokens * LayerTokenBytes(attention.heads, attention.storage) +
         QueryAndOutputBytes(attention.heads, attention.query_bytes);
}

std::int64_t PrefillBytes(const Attention& attention) {
  return attention.tokens * (LayerTokenBytes(attention.heads, attention.storage) +
                             QueryAndOutputBytes(attention.heads, attention.query_bytes));
}

double DecodeIntensity(const Attention& attention) {
  return Ratio(DecodeFlops(attention), DecodeBytes(attention));
}

double PrefillIntensity(const Attention& attention) {
  return Ratio(PrefillFlops(attention), PrefillBytes(attention));
}

double F16TensorRidge(const Gpu& gpu) {
  return gpu.f16_tensor_flops_per_second / gpu.bytes_per_second;
}

double F32Ridge(const Gpu& gpu) { return gpu.f32_flops_per_second / gpu.bytes_per_second; }

std::string_view Bound(double intensity, double ridge) {
  return intensity < ridge ? "memory" : "compute";
}

std::int64_t ComputeBoundPrefillTokens(const Attention& attention, double ridge) {
  Attention one = attention;
  one.tokens = 1;
  // n tokens have (n + 1) / 2 times the intensity of one.
  const double tokens = 2 * ridge / PrefillIntensity(one) - 1;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(tokens)));
}

std::int64_t PagedDecodeBytes(const PagedDecode& decode) {
  return PagedBytesReadBy(decode.heads.kv_heads, decode);
}

double PagedDecodeOverread(const PagedDecode& decode) {
  return Ratio(PagedBytesReadBy(decode.heads.query_heads, decode), PagedDecodeBytes(decode));
}

std::int64_t FewestSplits(std::int64_t sequences, const Heads& heads, const Gpu& gpu) {
  return CeilDiv(gpu.multiprocessors, sequences * heads.kv_heads);
}

std::int64_t LargestTile(std::int64_t head_size, std::int64_t element_bytes, std::int64_t stages,
                         const Gpu& gpu) {
  const std::int64_t token_bytes = 2 * stages * head_size * element_bytes;
  return gpu.shared_bytes / token_bytes / kTileStep * kTileStep;
}

double MmaRowShare(const Heads& heads, std::int64_t queries) {
  const std::int64_t rows = heads.query_heads / heads.kv_heads * queries;
  return Ratio(rows, CeilDiv(rows, kMmaRows) * kMmaRows);
}

}  // namespace assay::kvcache
