// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_KV_CACHE_EXPORT_H_
#define ASSAY_REFERENCE_KV_CACHE_EXPORT_H_

#include <cstddef>
#include <exception>

#include "baseline.h"

namespace assay::kv_baseline {

/// Runs call(); every exception that it can throw says that memory or a size has no room.
template <typename Call>
int Guarded(Call&& call) noexcept {
  try {
    return call();
  } catch (const std::exception&) {
    return KV_OUT_OF_MEMORY;
  }
}

/// Runs call() on a handle that is not null.
template <class Handle, typename Call>
int With(Handle* handle, Call&& call) noexcept {
  return handle == nullptr ? KV_INVALID_ARGUMENT : Guarded([&] { return call(*handle); });
}

}  // namespace assay::kv_baseline

// NOLINTBEGIN(bugprone-macro-parentheses): a type cannot stand in them.

/// Defines the functions of interface.h with the decisions of `Steps`.
#define KV_EXPORT(Steps)                                                                        \
  KV_EXPORT_CACHE(Steps)                                                                        \
  KV_EXPORT_DECODER(Steps)                                                                      \
  extern "C" int kv_sample(int32_t vocabulary, const float* logits, float temperature,          \
                           int32_t top_k, float uniform, int32_t* token) {                      \
    return assay::kv_baseline::Guarded([=] {                                                    \
      return assay::kv_baseline::Sample<Steps>(vocabulary, logits, temperature, top_k, uniform, \
                                               token);                                          \
    });                                                                                         \
  }                                                                                             \
  static_assert(true)

#define KV_EXPORT_CACHE(Steps)                                                                    \
  struct kv_cache final : assay::kv_baseline::Cache<Steps> {                                      \
    using Cache::Cache;                                                                           \
  };                                                                                              \
  extern "C" {                                                                                    \
  int kv_capabilities(void) { return assay::kv_baseline::kAllCapabilities; }                      \
  int kv_create(const struct kv_config* config, kv_cache** cache) {                               \
    return assay::kv_baseline::Guarded(                                                           \
        [=] { return assay::kv_baseline::CreateCache(config, cache); });                          \
  }                                                                                               \
  int kv_destroy(kv_cache* cache) {                                                               \
    delete cache;                                                                                 \
    return KV_OK;                                                                                 \
  }                                                                                               \
  int kv_prefill(kv_cache* cache, int32_t layer, int32_t sequence, size_t tokens, const float* q, \
                 const float* k, const float* v, float* out) {                                    \
    return assay::kv_baseline::With(                                                              \
        cache, [=](auto& it) { return it.Prefill(layer, sequence, tokens, q, k, v, out); });      \
  }                                                                                               \
  int kv_append(kv_cache* cache, int32_t layer, size_t count, const int32_t* sequences,           \
                const float* k, const float* v) {                                                 \
    return assay::kv_baseline::With(                                                              \
        cache, [=](auto& it) { return it.Append(layer, count, sequences, k, v); });               \
  }                                                                                               \
  int kv_attend(kv_cache* cache, int32_t layer, size_t count, const int32_t* sequences,           \
                const float* q, float* out) {                                                     \
    return assay::kv_baseline::With(                                                              \
        cache, [=](auto& it) { return it.Attend(layer, count, sequences, q, out); });             \
  }                                                                                               \
  int kv_free(kv_cache* cache, int32_t sequence) {                                                \
    return assay::kv_baseline::With(cache, [=](auto& it) { return it.Free(sequence); });          \
  }                                                                                               \
  int kv_fork(kv_cache* cache, int32_t parent, int32_t child) {                                   \
    return assay::kv_baseline::With(cache, [=](auto& it) { return it.Fork(parent, child); });     \
  }                                                                                               \
  int kv_length(const kv_cache* cache, int32_t layer, int32_t sequence, size_t* tokens) {         \
    return assay::kv_baseline::With(                                                              \
        cache, [=](auto& it) { return it.GetLength(layer, sequence, tokens); });                  \
  }                                                                                               \
  int kv_get_usage(const kv_cache* cache, struct kv_usage* usage) {                               \
    return assay::kv_baseline::With(cache, [=](auto& it) { return it.GetUsage(usage); });         \
  }                                                                                               \
  int kv_read(const kv_cache* cache, int32_t layer, int32_t sequence, size_t first, size_t count, \
              float* k, float* v) {                                                               \
    return assay::kv_baseline::With(                                                              \
        cache, [=](auto& it) { return it.Read(layer, sequence, first, count, k, v); });           \
  }                                                                                               \
  }

#define KV_EXPORT_DECODER(Steps)                                                                  \
  struct kv_decoder final : assay::kv_baseline::Decoder<Steps> {                                  \
    using Decoder::Decoder;                                                                       \
  };                                                                                              \
  extern "C" {                                                                                    \
  int kv_decoder_create(const struct kv_decoder_config* config, const float* weights,             \
                        size_t weight_count, kv_decoder** decoder) {                              \
    return assay::kv_baseline::Guarded([=] {                                                      \
      return assay::kv_baseline::CreateDecoder(config, weights, weight_count, decoder);           \
    });                                                                                           \
  }                                                                                               \
  int kv_decoder_destroy(kv_decoder* decoder) {                                                   \
    delete decoder;                                                                               \
    return KV_OK;                                                                                 \
  }                                                                                               \
  int kv_decoder_reset(kv_decoder* decoder) {                                                     \
    return assay::kv_baseline::With(decoder, [](auto& it) { return it.Reset(); });                \
  }                                                                                               \
  int kv_decoder_prefill(kv_decoder* decoder, size_t count, const int32_t* tokens,                \
                         float* logits) {                                                         \
    return assay::kv_baseline::With(decoder,                                                      \
                                    [=](auto& it) { return it.Prefill(count, tokens, logits); }); \
  }                                                                                               \
  int kv_decoder_step(kv_decoder* decoder, int32_t token, float* logits) {                        \
    return assay::kv_baseline::With(decoder,                                                      \
                                    [&](auto& it) { return it.Prefill(1, &token, logits); });     \
  }                                                                                               \
  }

// NOLINTEND(bugprone-macro-parentheses)

#endif  // ASSAY_REFERENCE_KV_CACHE_EXPORT_H_
