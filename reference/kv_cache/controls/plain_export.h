// SPDX-License-Identifier: Apache-2.0
#ifndef PLAIN_EXPORT_H_
#define PLAIN_EXPORT_H_

// Turns a class derived from plain::Cache into the functions of interface.h. Copied beside a
// control's sources like plain_kv.h.

#include "plain_decoder.h"
#include "plain_kv.h"

// NOLINTBEGIN(bugprone-macro-parentheses): a type cannot stand in them.

/// Defines all functions but the decoder's and kv_sample.
#define PLAIN_EXPORT(Type) \
  PLAIN_EXPORT_MOST(Type); \
  extern "C" {             \
  PLAIN_EXPORT_DESTROY     \
  PLAIN_EXPORT_ATTEND      \
  PLAIN_EXPORT_FORK        \
  }                        \
  static_assert(true)

#define PLAIN_EXPORT_DESTROY        \
  int kv_destroy(kv_cache* cache) { \
    delete cache;                   \
    return KV_OK;                   \
  }

#define PLAIN_EXPORT_ATTEND                                                              \
  int kv_attend(kv_cache* cache, int32_t layer, size_t count, const int32_t* sequences,  \
                const float* q, float* out) {                                            \
    return cache ? cache->Attend(layer, count, sequences, q, out) : KV_INVALID_ARGUMENT; \
  }

#define PLAIN_EXPORT_FORK                                            \
  int kv_fork(kv_cache* cache, int32_t parent, int32_t child) {      \
    return cache ? cache->Fork(parent, child) : KV_INVALID_ARGUMENT; \
  }

/// Defines all but those three, for controls that leave one out or have their own.
#define PLAIN_EXPORT_MOST(Type)                                                                   \
  struct kv_cache final : Type {                                                                  \
    using Base = Type;                                                                            \
    using Base::Base;                                                                             \
  };                                                                                              \
  extern "C" {                                                                                    \
  int kv_capabilities(void) { return Type::kCapabilities; }                                       \
  int kv_create(const struct kv_config* config, kv_cache** cache) {                               \
    return plain::Create(config, cache);                                                          \
  }                                                                                               \
  int kv_prefill(kv_cache* cache, int32_t layer, int32_t sequence, size_t tokens, const float* q, \
                 const float* k, const float* v, float* out) {                                    \
    return cache ? cache->Prefill(layer, sequence, tokens, q, k, v, out) : KV_INVALID_ARGUMENT;   \
  }                                                                                               \
  int kv_append(kv_cache* cache, int32_t layer, size_t count, const int32_t* sequences,           \
                const float* k, const float* v) {                                                 \
    return cache ? cache->Append(layer, count, sequences, k, v) : KV_INVALID_ARGUMENT;            \
  }                                                                                               \
  int kv_free(kv_cache* cache, int32_t sequence) {                                                \
    return cache ? cache->Free(sequence) : KV_INVALID_ARGUMENT;                                   \
  }                                                                                               \
  int kv_length(const kv_cache* cache, int32_t layer, int32_t sequence, size_t* tokens) {         \
    return cache ? cache->GetLength(layer, sequence, tokens) : KV_INVALID_ARGUMENT;               \
  }                                                                                               \
  int kv_get_usage(const kv_cache* cache, struct kv_usage* usage) {                               \
    return cache ? cache->GetUsage(usage) : KV_INVALID_ARGUMENT;                                  \
  }                                                                                               \
  int kv_read(const kv_cache* cache, int32_t layer, int32_t sequence, size_t first, size_t count, \
              float* k, float* v) {                                                               \
    return cache ? cache->Read(layer, sequence, first, count, k, v) : KV_INVALID_ARGUMENT;        \
  }                                                                                               \
  }                                                                                               \
  static_assert(true)

/// Defines the decoder's functions by a class derived from plain::Decoder.
#define PLAIN_EXPORT_DECODER(Type)                                                    \
  struct kv_decoder final : Type {                                                    \
    using Base = Type;                                                                \
    using Base::Base;                                                                 \
  };                                                                                  \
  extern "C" {                                                                        \
  int kv_decoder_create(const struct kv_decoder_config* config, const float* weights, \
                        size_t weight_count, kv_decoder** decoder) {                  \
    return plain::CreateDecoder(config, weights, weight_count, decoder);              \
  }                                                                                   \
  int kv_decoder_destroy(kv_decoder* decoder) {                                       \
    delete decoder;                                                                   \
    return KV_OK;                                                                     \
  }                                                                                   \
  int kv_decoder_reset(kv_decoder* decoder) {                                         \
    return decoder ? decoder->Reset() : KV_INVALID_ARGUMENT;                          \
  }                                                                                   \
  int kv_decoder_prefill(kv_decoder* decoder, size_t count, const int32_t* tokens,    \
                         float* logits) {                                             \
    return decoder ? decoder->Prefill(count, tokens, logits) : KV_INVALID_ARGUMENT;   \
  }                                                                                   \
  int kv_decoder_step(kv_decoder* decoder, int32_t token, float* logits) {            \
    return decoder ? decoder->Prefill(1, &token, logits) : KV_INVALID_ARGUMENT;       \
  }                                                                                   \
  }                                                                                   \
  static_assert(true)

/// Defines kv_sample by a function with its parameters.
#define PLAIN_EXPORT_SAMPLE(sample)                                                    \
  extern "C" int kv_sample(int32_t vocabulary, const float* logits, float temperature, \
                           int32_t top_k, float uniform, int32_t* token) {             \
    return (sample)(vocabulary, logits, temperature, top_k, uniform, token);           \
  }                                                                                    \
  static_assert(true)

// NOLINTEND(bugprone-macro-parentheses)

#endif  // PLAIN_EXPORT_H_
