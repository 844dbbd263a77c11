// The C interface of the cache: checks arguments, and leaves the work to KvCache and Attention.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <new>

#include "attention.h"
#include "interface.h"
#include "kv_cache.h"

struct kv_cache {
  explicit kv_cache(const CacheShape& shape) : store(shape), attention(shape) {}

  bool has_layer(std::int32_t layer) const {
    return layer >= 0 && as_size(layer) < store.shape().layers;
  }
  bool has_sequence(std::int32_t sequence) const {
    return sequence >= 0 && as_size(sequence) < store.shape().batch;
  }
  bool has_sequences(std::size_t count, const std::int32_t* sequences) const {
    return std::all_of(sequences, sequences + count,
                       [this](std::int32_t sequence) { return has_sequence(sequence); });
  }

  KvCache store;
  Attention attention;
};

namespace {

bool is_valid(const kv_config& c) {
  const auto sizes = {c.layers, c.query_heads, c.kv_heads, c.head_size, c.batch, c.capacity};
  const auto options = {c.page_size, c.pages, c.window};
  return std::all_of(sizes.begin(), sizes.end(), [](std::int32_t n) { return n >= 1; }) &&
         std::all_of(options.begin(), options.end(), [](std::int32_t n) { return n >= 0; }) &&
         c.query_heads % c.kv_heads == 0 && c.storage >= KV_F32 && c.storage <= KV_INT4 &&
         (c.page_size > 0) == (c.pages > 0) && c.window <= c.capacity;
}

bool is_supported(const kv_config& c) {
  return as_size(c.head_size) <= kMaxHeadSize && c.window == 0 &&
         (c.storage == KV_F32 || c.storage == KV_INT8);
}

}  // namespace

extern "C" {

int kv_capabilities(void) {
  return KV_CAN_GQA | KV_CAN_MQA | KV_CAN_INT8 | KV_CAN_PAGED | KV_CAN_CHUNKED | KV_CAN_HYBRID;
}

int kv_create(const kv_config* config, kv_cache** cache) {
  if (config == nullptr || cache == nullptr || !is_valid(*config)) {
    return KV_INVALID_ARGUMENT;
  }
  if (!is_supported(*config)) {
    return KV_UNSUPPORTED;
  }
  const CacheShape shape = {
      .layers = as_size(config->layers),
      .query_heads = as_size(config->query_heads),
      .kv_heads = as_size(config->kv_heads),
      .head_size = as_size(config->head_size),
      .batch = as_size(config->batch),
      .capacity = as_size(config->capacity),
      .type = config->storage == KV_INT8 ? ElementType::kInt8 : ElementType::kFloat,
      .page_size = as_size(config->page_size),
      .pages = as_size(config->pages)};
  try {
    *cache = new kv_cache(shape);
  } catch (const std::bad_alloc&) {
    return KV_OUT_OF_MEMORY;
  }
  return KV_OK;
}

int kv_destroy(kv_cache* cache) {
  delete cache;
  return KV_OK;
}

int kv_prefill(kv_cache* cache, int32_t layer, int32_t sequence, size_t tokens, const float* q,
               const float* k, const float* v, float* out) {
  if (cache == nullptr || !cache->has_layer(layer) || !cache->has_sequence(sequence)) {
    return KV_INVALID_ARGUMENT;
  }
  if (tokens == 0) {
    return KV_OK;
  }
  if (q == nullptr || k == nullptr || v == nullptr || out == nullptr) {
    return KV_INVALID_ARGUMENT;
  }
  KvCache& store = cache->store;
  const CacheShape& shape = store.shape();
  const std::size_t l = as_size(layer);
  const std::size_t s = as_size(sequence);
  const kv_status status = store.reserve(l, s, tokens);
  if (status != KV_OK) {
    return status;
  }
  for (std::size_t i = 0; i < tokens; ++i) {
    store.store(l, s, k + i * shape.kv_width(), v + i * shape.kv_width());
    cache->attention.attend(store, l, s, store.length(l, s), q + i * shape.query_width(),
                            out + i * shape.query_width());
  }
  return KV_OK;
}

int kv_append(kv_cache* cache, int32_t layer, size_t count, const int32_t* sequences,
              const float* k, const float* v) {
  if (cache == nullptr || !cache->has_layer(layer)) {
    return KV_INVALID_ARGUMENT;
  }
  if (count == 0) {
    return KV_OK;
  }
  if (sequences == nullptr || k == nullptr || v == nullptr ||
      !cache->has_sequences(count, sequences)) {
    return KV_INVALID_ARGUMENT;
  }
  const std::size_t l = as_size(layer);
  const kv_status status = cache->store.reserve_each(l, count, sequences);
  if (status != KV_OK) {
    return status;
  }
  const std::size_t width = cache->store.shape().kv_width();
  for (std::size_t i = 0; i < count; ++i) {
    cache->store.store(l, as_size(sequences[i]), k + i * width, v + i * width);
  }
  return KV_OK;
}

int kv_attend(kv_cache* cache, int32_t layer, size_t count, const int32_t* sequences,
              const float* q, float* out) {
  if (cache == nullptr || !cache->has_layer(layer)) {
    return KV_INVALID_ARGUMENT;
  }
  if (count == 0) {
    return KV_OK;
  }
  if (sequences == nullptr || q == nullptr || out == nullptr ||
      !cache->has_sequences(count, sequences)) {
    return KV_INVALID_ARGUMENT;
  }
  const std::size_t l = as_size(layer);
  const std::size_t width = cache->store.shape().query_width();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t s = as_size(sequences[i]);
    cache->attention.attend(cache->store, l, s, cache->store.length(l, s), q + i * width,
                            out + i * width);
  }
  return KV_OK;
}

int kv_free(kv_cache* cache, int32_t sequence) {
  if (cache == nullptr || !cache->has_sequence(sequence)) {
    return KV_INVALID_ARGUMENT;
  }
  cache->store.free(as_size(sequence));
  return KV_OK;
}

int kv_length(const kv_cache* cache, int32_t layer, int32_t sequence, size_t* tokens) {
  if (cache == nullptr || tokens == nullptr || !cache->has_layer(layer) ||
      !cache->has_sequence(sequence)) {
    return KV_INVALID_ARGUMENT;
  }
  *tokens = cache->store.length(as_size(layer), as_size(sequence));
  return KV_OK;
}

int kv_get_usage(const kv_cache* cache, kv_usage* usage) {
  if (cache == nullptr || usage == nullptr) {
    return KV_INVALID_ARGUMENT;
  }
  *usage = cache->store.usage();
  return KV_OK;
}

int kv_read(const kv_cache* cache, int32_t layer, int32_t sequence, size_t first, size_t count,
            float* k, float* v) {
  if (cache == nullptr || !cache->has_layer(layer) || !cache->has_sequence(sequence)) {
    return KV_INVALID_ARGUMENT;
  }
  const KvCache& store = cache->store;
  const CacheShape& shape = store.shape();
  const std::size_t l = as_size(layer);
  const std::size_t s = as_size(sequence);
  const std::size_t stored = store.length(l, s);
  if (count > stored || first > stored - count || (count > 0 && (k == nullptr || v == nullptr))) {
    return KV_INVALID_ARGUMENT;
  }
  std::array<float, kMaxHeadSize> buffer;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t head = 0; head < shape.kv_heads; ++head) {
      const std::size_t at = i * shape.kv_width() + head * shape.head_size;
      const Run run = store.run(l, s, head, first + i, first + i + 1);
      std::copy_n(store.format().decode(run.keys, buffer.data()), shape.head_size, k + at);
      std::copy_n(store.format().decode(run.values, buffer.data()), shape.head_size, v + at);
    }
  }
  return KV_OK;
}

}  // extern "C"
