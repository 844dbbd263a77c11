// KV cache for autoregressive decoding: the cache, attention over it, a small decoder.
//
// Why a cache. Without one, step t recomputes the keys and values of all t tokens, and a sequence
// of n tokens costs O(n^2) projections. With one, each step projects one token and reads the rest:
//
//   step t, no cache     [k0 k1 k2 ... kt]   all computed again
//   step t, cache        [k0 k1 k2 ...   ]   read    + [kt] computed and appended
//
// Memory layout, contiguous (BHSD): one array, a plane for K and one for V in each layer,
//
//   [layer][K | V][sequence][head][token][head_size]
//
// so that the tokens of one head lie side by side and attention streams through them. Paged: the
// same within a block, [block][layer][K | V][head][slot][head_size], and a block table for each
// sequence.
//
// Memory per token: 2 (K and V) * layers * heads * head_size * bytes an element. For Llama-2-7B in
// fp16: 2 * 32 * 32 * 128 * 2 = 524,288 bytes, so 4,096 tokens take 2 GiB.
//
// FLOPs of one decode step, head_size d, n tokens stored, h heads: 2 n d for the scores and 2 n d
// for the weighted sum in each head, against 2 n (d h)^2 * 2 more to project k and v again.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "interface.h"
#include "kv_optimizations.h"

namespace {

// A chunk of a prefill has to start where a tile of the first one could have ended.
constexpr std::size_t kPrefillTile = 16;

enum Kind : std::size_t { kKey = 0, kValue = 1 };

std::size_t to_size(std::int32_t value) { return static_cast<std::size_t>(value); }

// Partial sums that do not wait for each other.
float dot(const float* a, const float* b, std::size_t count) {
  constexpr std::size_t kLanes = 16;
  float lanes[kLanes] = {};
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      lanes[lane] += a[i + lane] * b[i + lane];
    }
  }
  for (; i < count; ++i) {
    lanes[i % kLanes] += a[i] * b[i];
  }
  float sum = 0.0f;
  for (float lane : lanes) {
    sum += lane;
  }
  return sum;
}

}  // namespace

struct kv_cache {
  explicit kv_cache(const kv_config& c)
      : config(c),
        format(c.storage, to_size(c.head_size)),
        heads(to_size(c.kv_heads)),
        head_size(to_size(c.head_size)),
        lengths(to_size(c.layers) * to_size(c.batch), 0) {
    const std::size_t tokens =
        paged() ? to_size(c.pages) * to_size(c.page_size) : to_size(c.batch) * to_size(c.capacity);
    // Beyond this the product below would overflow; no machine has that much.
    const double wanted = static_cast<double>(tokens) * static_cast<double>(token_bytes()) *
                          static_cast<double>(c.layers);
    if (wanted > 1e18) {
      throw std::bad_alloc();
    }
    if (paged()) {
      pool =
          BlockPool(to_size(c.batch), to_size(c.capacity), to_size(c.page_size), to_size(c.pages));
    }
    bytes.reset(new unsigned char[tokens * token_bytes() * to_size(c.layers)]);
  }

  bool paged() const { return config.page_size > 0; }
  // K and V of one token in one layer.
  std::size_t token_bytes() const { return 2 * heads * format.bytes(); }
  bool has(std::int32_t layer, std::int32_t sequence) const {
    return layer >= 0 && layer < config.layers && sequence >= 0 && sequence < config.batch;
  }

  std::uint32_t& length(std::size_t layer, std::size_t sequence) {
    return lengths[layer * to_size(config.batch) + sequence];
  }
  std::uint32_t length(std::size_t layer, std::size_t sequence) const {
    return lengths[layer * to_size(config.batch) + sequence];
  }

  unsigned char* row(Kind kind, std::size_t layer, std::size_t sequence, std::size_t head,
                     std::size_t token) const {
    std::size_t index = 0;
    if (paged()) {
      const std::size_t size = to_size(config.page_size);
      const std::size_t block = pool.block_of(sequence, token);
      index = ((block * to_size(config.layers) + layer) * 2 + kind) * heads + head;
      index = index * size + token % size;
    } else {
      index = ((layer * 2 + kind) * to_size(config.batch) + sequence) * heads + head;
      index = index * to_size(config.capacity) + token;
    }
    return bytes.get() + index * format.bytes();
  }

  // Room for added[s] more tokens of each sequence s in that layer, or nothing is changed.
  int reserve(std::size_t layer, const std::vector<std::uint64_t>& added) {
    std::size_t blocks = 0;
    for (std::size_t s = 0; s < added.size(); ++s) {
      const std::uint64_t tokens = length(layer, s) + added[s];
      if (tokens > to_size(config.capacity)) {
        return KV_CAPACITY;
      }
      if (paged() && added[s] > 0) {
        blocks += pool.missing(s, tokens);
      }
    }
    if (paged()) {
      if (blocks > pool.free_blocks()) {
        return KV_NO_PAGES;
      }
      for (std::size_t s = 0; s < added.size(); ++s) {
        pool.grow(s, length(layer, s) + added[s]);
      }
    }
    return KV_OK;
  }

  void push(std::size_t layer, std::size_t sequence, const float* k, const float* v) {
    const std::size_t token = length(layer, sequence)++;
    for (std::size_t head = 0; head < heads; ++head) {
      format.store(k + head * head_size, row(kKey, layer, sequence, head, token));
      format.store(v + head * head_size, row(kValue, layer, sequence, head, token));
    }
  }

  // Softmax attention of one query over the first `tokens` tokens: causal by construction, later
  // ones are never read. `scores` has room for as many.
  void attend(std::size_t layer, std::size_t sequence, std::size_t tokens, const float* q,
              float* out, std::vector<float>& scores) const {
    const float scale = 1.0f / std::sqrt(static_cast<float>(head_size));
    float buffer[kMaxHeadSize];
    std::fill(out, out + heads * head_size, 0.0f);
    for (std::size_t head = 0; head < heads && tokens > 0; ++head) {
      const float* query = q + head * head_size;
      float* result = out + head * head_size;
      for (std::size_t j = 0; j < tokens; ++j) {
        const float* key = format.load(row(kKey, layer, sequence, head, j), buffer);
        scores[j] = dot(query, key, head_size) * scale;
      }
      const float largest = *std::max_element(scores.begin(), scores.begin() + tokens);
      double sum = 0.0;
      for (std::size_t j = 0; j < tokens; ++j) {
        scores[j] = std::exp(scores[j] - largest);
        sum += scores[j];
      }
      for (std::size_t j = 0; j < tokens; ++j) {
        const float* value = format.load(row(kValue, layer, sequence, head, j), buffer);
        const float weight = static_cast<float>(scores[j] / sum);
        for (std::size_t i = 0; i < head_size; ++i) {
          result[i] += weight * value[i];
        }
      }
    }
  }

  kv_config config;
  RowFormat format;
  std::size_t heads;
  std::size_t head_size;
  std::vector<std::uint32_t> lengths;  // [layer][sequence]
  BlockPool pool;
  std::unique_ptr<unsigned char[]> bytes;
};

namespace {

bool valid(const kv_config& c) {
  if (c.layers < 1 || c.query_heads < 1 || c.kv_heads < 1 || c.head_size < 1 || c.batch < 1 ||
      c.capacity < 1 || c.page_size < 0 || c.pages < 0 || c.window < 0) {
    return false;
  }
  return c.query_heads % c.kv_heads == 0 && c.storage >= KV_F32 && c.storage <= KV_INT4 &&
         (c.page_size > 0) == (c.pages > 0) && c.window <= c.capacity;
}

// One head of K and V for each query head, all tokens seen, and one optimisation at a time.
bool supported(const kv_config& c) {
  return c.query_heads == c.kv_heads && c.head_size <= static_cast<int>(kMaxHeadSize) &&
         c.storage != KV_F16 && c.window == 0 && (c.storage == KV_F32 || c.page_size == 0);
}

}  // namespace

extern "C" {

int kv_capabilities(void) { return KV_CAN_INT8 | KV_CAN_INT4 | KV_CAN_PAGED | KV_CAN_CHUNKED; }

int kv_create(const kv_config* config, kv_cache** cache) {
  if (config == nullptr || cache == nullptr || !valid(*config)) {
    return KV_INVALID_ARGUMENT;
  }
  if (!supported(*config)) {
    return KV_UNSUPPORTED;
  }
  try {
    *cache = new kv_cache(*config);
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
  if (cache == nullptr || !cache->has(layer, sequence)) {
    return KV_INVALID_ARGUMENT;
  }
  if (tokens == 0) {
    return KV_OK;
  }
  if (q == nullptr || k == nullptr || v == nullptr || out == nullptr) {
    return KV_INVALID_ARGUMENT;
  }
  const std::size_t l = to_size(layer);
  const std::size_t s = to_size(sequence);
  const std::size_t start = cache->length(l, s);
  // Chunked prefill, for now, continues a contiguous float cache at the boundary of a tile.
  const bool plain = !cache->paged() && cache->config.storage == KV_F32;
  if (start > 0 && !(plain && start % kPrefillTile == 0)) {
    return KV_UNSUPPORTED;
  }
  if (tokens > to_size(cache->config.capacity)) {
    return KV_CAPACITY;
  }
  try {
    std::vector<std::uint64_t> added(to_size(cache->config.batch), 0);
    std::vector<float> scores(start + tokens);
    added[s] = tokens;
    const int status = cache->reserve(l, added);
    if (status != KV_OK) {
      return status;
    }
    const std::size_t width = cache->heads * cache->head_size;
    for (std::size_t i = 0; i < tokens; ++i) {
      cache->push(l, s, k + i * width, v + i * width);
      cache->attend(l, s, start + i + 1, q + i * width, out + i * width, scores);
    }
  } catch (const std::bad_alloc&) {
    return KV_OUT_OF_MEMORY;
  }
  return KV_OK;
}

int kv_append(kv_cache* cache, int32_t layer, size_t count, const int32_t* sequences,
              const float* k, const float* v) {
  if (cache == nullptr || !cache->has(layer, 0) ||
      (count > 0 && (sequences == nullptr || k == nullptr || v == nullptr))) {
    return KV_INVALID_ARGUMENT;
  }
  const std::size_t l = to_size(layer);
  try {
    std::vector<std::uint64_t> added(to_size(cache->config.batch), 0);
    for (std::size_t i = 0; i < count; ++i) {
      if (!cache->has(layer, sequences[i])) {
        return KV_INVALID_ARGUMENT;
      }
      ++added[to_size(sequences[i])];
    }
    const int status = cache->reserve(l, added);
    if (status != KV_OK) {
      return status;
    }
  } catch (const std::bad_alloc&) {
    return KV_OUT_OF_MEMORY;
  }
  const std::size_t width = cache->heads * cache->head_size;
  for (std::size_t i = 0; i < count; ++i) {
    cache->push(l, to_size(sequences[i]), k + i * width, v + i * width);
  }
  return KV_OK;
}

int kv_attend(kv_cache* cache, int32_t layer, size_t count, const int32_t* sequences,
              const float* q, float* out) {
  if (cache == nullptr || !cache->has(layer, 0) ||
      (count > 0 && (sequences == nullptr || q == nullptr || out == nullptr))) {
    return KV_INVALID_ARGUMENT;
  }
  const std::size_t l = to_size(layer);
  std::size_t longest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!cache->has(layer, sequences[i])) {
      return KV_INVALID_ARGUMENT;
    }
    longest = std::max<std::size_t>(longest, cache->length(l, to_size(sequences[i])));
  }
  try {
    std::vector<float> scores(longest);
    const std::size_t width = cache->heads * cache->head_size;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t s = to_size(sequences[i]);
      cache->attend(l, s, cache->length(l, s), q + i * width, out + i * width, scores);
    }
  } catch (const std::bad_alloc&) {
    return KV_OUT_OF_MEMORY;
  }
  return KV_OK;
}

int kv_free(kv_cache* cache, int32_t sequence) {
  if (cache == nullptr || !cache->has(0, sequence)) {
    return KV_INVALID_ARGUMENT;
  }
  for (std::size_t layer = 0; layer < to_size(cache->config.layers); ++layer) {
    cache->length(layer, to_size(sequence)) = 0;
  }
  if (cache->paged()) {
    cache->pool.release(to_size(sequence));
  }
  return KV_OK;
}

int kv_length(const kv_cache* cache, int32_t layer, int32_t sequence, size_t* tokens) {
  if (cache == nullptr || tokens == nullptr || !cache->has(layer, sequence)) {
    return KV_INVALID_ARGUMENT;
  }
  *tokens = cache->length(to_size(layer), to_size(sequence));
  return KV_OK;
}

int kv_get_usage(const kv_cache* cache, kv_usage* usage) {
  if (cache == nullptr || usage == nullptr) {
    return KV_INVALID_ARGUMENT;
  }
  *usage = kv_usage{};
  if (cache->paged()) {
    usage->pages_free = cache->pool.free_blocks();
    usage->pages_in_use = to_size(cache->config.pages) - usage->pages_free;
    usage->bytes = usage->pages_in_use * to_size(cache->config.page_size) *
                   to_size(cache->config.layers) * cache->token_bytes();
  } else {
    for (std::uint32_t tokens : cache->lengths) {
      usage->bytes += tokens * cache->token_bytes();
    }
  }
  return KV_OK;
}

int kv_read(const kv_cache* cache, int32_t layer, int32_t sequence, size_t first, size_t count,
            float* k, float* v) {
  if (cache == nullptr || !cache->has(layer, sequence)) {
    return KV_INVALID_ARGUMENT;
  }
  const std::size_t l = to_size(layer);
  const std::size_t s = to_size(sequence);
  const std::size_t stored = cache->length(l, s);
  if (count > stored || first > stored - count || (count > 0 && (k == nullptr || v == nullptr))) {
    return KV_INVALID_ARGUMENT;
  }
  float buffer[kMaxHeadSize];
  const std::size_t size = cache->head_size;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t head = 0; head < cache->heads; ++head) {
      const std::size_t at = (i * cache->heads + head) * size;
      const float* key = cache->format.load(cache->row(kKey, l, s, head, first + i), buffer);
      std::copy(key, key + size, k + at);
      const float* value = cache->format.load(cache->row(kValue, l, s, head, first + i), buffer);
      std::copy(value, value + size, v + at);
    }
  }
  return KV_OK;
}

}  // extern "C"

// ---- IncrementalDecoder (simplified) -----------------------------------------------------------
//
// Embedding, then attention with a residual in each layer, then the output matrix. No MLP, no
// positions, no mask: the prompt goes through one token at a time, so a token can see no later one.

struct kv_decoder {
  kv_decoder_config config;
  std::vector<float> weights;
  kv_cache* cache = nullptr;

  ~kv_decoder() { kv_destroy(cache); }

  std::size_t width() const { return to_size(config.width); }
  std::size_t heads_width() const {
    return to_size(config.query_heads) * to_size(config.head_size);
  }

  // The next `count` weights.
  const float* take(const float** at, std::size_t count) const {
    const float* taken = *at;
    *at += count;
    return taken;
  }

  std::vector<float> multiply(const float* matrix, std::size_t rows,
                              const std::vector<float>& x) const {
    std::vector<float> y(rows);
    for (std::size_t i = 0; i < rows; ++i) {
      y[i] = dot(matrix + i * x.size(), x.data(), x.size());
    }
    return y;
  }

  std::vector<float> rmsnorm(const std::vector<float>& x, const float* gain) const {
    double squares = 0.0;
    for (float value : x) {
      squares += static_cast<double>(value) * value;
    }
    const double norm = std::sqrt(squares / static_cast<double>(x.size()) + config.norm_eps);
    std::vector<float> y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      y[i] = static_cast<float>(gain[i] * x[i] / norm);
    }
    return y;
  }

  int step(std::int32_t token, float* logits) {
    const float* at = weights.data();
    const float* embedding = take(&at, to_size(config.vocabulary) * width());
    embedding += to_size(token) * width();
    std::vector<float> x(embedding, embedding + width());
    const std::size_t projection = heads_width() * width();
    const std::int32_t sequence = 0;
    for (std::int32_t layer = 0; layer < config.layers; ++layer) {
      const std::vector<float> h = rmsnorm(x, take(&at, width()));
      const std::vector<float> q = multiply(take(&at, projection), heads_width(), h);
      const std::vector<float> k = multiply(take(&at, projection), heads_width(), h);
      const std::vector<float> v = multiply(take(&at, projection), heads_width(), h);
      std::vector<float> attention(heads_width());
      int status = kv_append(cache, layer, 1, &sequence, k.data(), v.data());
      if (status == KV_OK) {
        status = kv_attend(cache, layer, 1, &sequence, q.data(), attention.data());
      }
      if (status != KV_OK) {
        return status;
      }
      const std::vector<float> added = multiply(take(&at, projection), width(), attention);
      for (std::size_t i = 0; i < width(); ++i) {
        x[i] += added[i];
      }
    }
    const std::vector<float> h = rmsnorm(x, take(&at, width()));
    const std::vector<float> y = multiply(at, to_size(config.vocabulary), h);
    std::copy(y.begin(), y.end(), logits);
    return KV_OK;
  }
};

namespace {

bool valid(const kv_decoder_config& c) {
  return c.layers >= 1 && c.width >= 1 && c.query_heads >= 1 && c.kv_heads >= 1 &&
         c.head_size >= 1 && c.vocabulary >= 1 && c.capacity >= 1 && c.mlp_width >= 0 &&
         c.window >= 0 && c.window <= c.capacity && c.query_heads % c.kv_heads == 0 &&
         c.norm_eps >= 0.0f && c.rope_base >= 0.0f &&
         !(c.rope_base > 0.0f && c.head_size % 2 != 0);
}

long double weights_needed(const kv_decoder_config& c) {
  const long double width = c.width;
  const long double queries = static_cast<long double>(c.query_heads) * c.head_size;
  const long double keys = static_cast<long double>(c.kv_heads) * c.head_size;
  long double layer = width + 2 * queries * width + 2 * keys * width;
  if (c.mlp_width > 0) {
    layer += width + 3 * width * c.mlp_width;
  }
  return 2 * width * c.vocabulary + width + c.layers * layer;
}

}  // namespace

extern "C" {

int kv_decoder_create(const kv_decoder_config* config, const float* weights, size_t weight_count,
                      kv_decoder** decoder) {
  if (config == nullptr || weights == nullptr || decoder == nullptr || !valid(*config) ||
      static_cast<long double>(weight_count) != weights_needed(*config)) {
    return KV_INVALID_ARGUMENT;
  }
  if (config->mlp_width > 0 || config->rope_base > 0.0f || config->window > 0 ||
      config->kv_heads < config->query_heads) {
    return KV_UNSUPPORTED;
  }
  try {
    auto made = std::make_unique<kv_decoder>();
    made->config = *config;
    made->weights.assign(weights, weights + weight_count);
    const kv_config cache = {config->layers,
                             config->query_heads,
                             config->kv_heads,
                             config->head_size,
                             1,
                             config->capacity,
                             KV_F32,
                             0,
                             0,
                             0};
    const int status = kv_create(&cache, &made->cache);
    if (status != KV_OK) {
      return status;
    }
    *decoder = made.release();
  } catch (const std::bad_alloc&) {
    return KV_OUT_OF_MEMORY;
  }
  return KV_OK;
}

int kv_decoder_destroy(kv_decoder* decoder) {
  delete decoder;
  return KV_OK;
}

int kv_decoder_reset(kv_decoder* decoder) {
  return decoder == nullptr ? KV_INVALID_ARGUMENT : kv_free(decoder->cache, 0);
}

int kv_decoder_prefill(kv_decoder* decoder, size_t count, const int32_t* tokens, float* logits) {
  if (decoder == nullptr || count == 0 || tokens == nullptr || logits == nullptr) {
    return KV_INVALID_ARGUMENT;
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (tokens[i] < 0 || tokens[i] >= decoder->config.vocabulary) {
      return KV_INVALID_ARGUMENT;
    }
  }
  if (count > to_size(decoder->config.capacity) - decoder->cache->length(0, 0)) {
    return KV_CAPACITY;
  }
  try {
    for (std::size_t i = 0; i < count; ++i) {
      const int status = decoder->step(tokens[i], logits);
      if (status != KV_OK) {
        return status;
      }
    }
  } catch (const std::bad_alloc&) {
    return KV_OUT_OF_MEMORY;
  }
  return KV_OK;
}

int kv_decoder_step(kv_decoder* decoder, int32_t token, float* logits) {
  return kv_decoder_prefill(decoder, 1, &token, logits);
}

}  // extern "C"
