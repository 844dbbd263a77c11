/*
 * kv_cache.cc -- A complete KV-cache system for autoregressive transformer inference in one
 * self-contained file:
 *
 *    1. Configuration and numeric helpers
 *    2. Memory formats                   BHSD, BSHD, BLOCKED
 *    3. Block allocator, block table     pages of a fixed number of tokens
 *    4. Storage                          contiguous and paged, behind one interface
 *    5. Multi-head attention             prefill, decode, tiled decode
 *    6. KV-cache manager                 one cache for each layer
 *    7. Transformer stack                RMSNorm, RoPE, attention, gated MLP
 *    8. Sampling                         temperature, top-k, greedy
 *    9. Memory analyzer                  bytes, growth, estimated latency
 *   10. C interface
 *   11. Demo                             an engine serving three requests, analysis tables
 *
 * DATA FLOW
 *
 *   prompt  --> QKV projection --> prefill attention --> output
 *                     |
 *                     v
 *               KV-cache manager  (layer -> keys, values)
 *                     ^
 *                     |
 *   token   --> QKV projection --> append --> decode attention --> output --> next token
 *
 * MEMORY FORMATS
 *
 *   BHSD      [batch][head][sequence][dim]    tokens of one head are adjacent: attention streams
 *   BSHD      [batch][sequence][head][dim]    one token is adjacent: appending is one copy
 *   BLOCKED   [block][head][slot][dim]        BHSD within a block, blocks anywhere
 *
 * CHUNKED PREFILL
 *
 *   A long prompt can be split into chunks of 512 tokens to bound the size of the score matrix.
 *   Each chunk attends to all chunks before it and, causally, to itself.
 *
 * GPU MAPPING, decode attention (one block of 128 threads for each head and sequence):
 *
 *   __global__ void decode_attention(const float* q, const float* keys, const float* values,
 *                                    float* out, int tokens, int head_dim) {
 *     extern __shared__ float scores[];
 *     const int head = blockIdx.x;
 *     const float* query = q + head * head_dim;
 *     for (int j = threadIdx.x; j < tokens; j += blockDim.x) {
 *       const float* key = keys + (head * tokens + j) * head_dim;
 *       float sum = 0.f;
 *       for (int i = 0; i < head_dim; ++i) sum += query[i] * key[i];
 *       scores[j] = sum * rsqrtf(head_dim);
 *     }
 *     __syncthreads();
 *     const float largest = block_max(scores, tokens);
 *     const float total = block_sum_exp(scores, tokens, largest);
 *     for (int i = threadIdx.x; i < head_dim; i += blockDim.x) {
 *       float sum = 0.f;
 *       for (int j = 0; j < tokens; ++j)
 *         sum += expf(scores[j] - largest) / total * values[(head * tokens + j) * head_dim + i];
 *       out[head * head_dim + i] = sum;
 *     }
 *   }
 */

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <new>
#include <numeric>
#include <vector>

#include "interface.h"

/* ------------------------------------------------------------------------------------------------
 * 1. Configuration and numeric helpers
 * ---------------------------------------------------------------------------------------------- */

namespace {

const size_t kMaxHeadDim = 256;
const size_t kTileTokens = 128;
const size_t kTiledDecodeThreshold = 1024;
const double kLargestAllocation = 1e18;

/* All numbers of a cache, as sizes. */
struct CacheDimensions {
  size_t layers;
  size_t heads;
  size_t head_dim;
  size_t batch;
  size_t capacity;
  size_t block_size;
  size_t blocks;

  size_t hidden() const { return heads * head_dim; }
  size_t token_bytes() const { return 2 * hidden() * sizeof(float); }
  bool paged() const { return block_size > 0; }
  size_t max_tokens() const { return batch * capacity; }
};

CacheDimensions dimensions_of(const kv_config& config) {
  CacheDimensions dimensions;
  dimensions.layers = static_cast<size_t>(config.layers);
  dimensions.heads = static_cast<size_t>(config.kv_heads);
  dimensions.head_dim = static_cast<size_t>(config.head_size);
  dimensions.batch = static_cast<size_t>(config.batch);
  dimensions.capacity = static_cast<size_t>(config.capacity);
  dimensions.block_size = static_cast<size_t>(config.page_size);
  dimensions.blocks = static_cast<size_t>(config.pages);
  return dimensions;
}

/* The result, or bad_alloc when no machine could hold that many floats. */
size_t checked_product(double a, double b, double c) {
  const double product = a * b * c;
  if (product * sizeof(float) > kLargestAllocation) {
    throw std::bad_alloc();
  }
  return static_cast<size_t>(a) * static_cast<size_t>(b) * static_cast<size_t>(c);
}

float dot_product(const float* a, const float* b, size_t count) {
  float partial[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    for (size_t lane = 0; lane < 8; ++lane) {
      partial[lane] += a[i + lane] * b[i + lane];
    }
  }
  float sum = 0.0f;
  for (; i < count; ++i) {
    sum += a[i] * b[i];
  }
  for (size_t lane = 0; lane < 8; ++lane) {
    sum += partial[lane];
  }
  return sum;
}

void add_scaled(float* out, float weight, const float* x, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    out[i] += weight * x[i];
  }
}

/* In place; the largest element is subtracted first, so that exp cannot overflow. */
void softmax(float* scores, size_t count) {
  float largest = -std::numeric_limits<float>::infinity();
  for (size_t j = 0; j < count; ++j) {
    largest = std::max(largest, scores[j]);
  }
  double total = 0.0;
  for (size_t j = 0; j < count; ++j) {
    scores[j] = std::exp(scores[j] - largest);
    total += scores[j];
  }
  for (size_t j = 0; j < count; ++j) {
    scores[j] = static_cast<float>(scores[j] / total);
  }
}

/* ------------------------------------------------------------------------------------------------
 * 2. Memory formats
 * ---------------------------------------------------------------------------------------------- */

enum class MemoryFormat { kBHSD, kBSHD, kBlocked };

/* Distances between neighbouring heads and tokens, in floats. */
struct FormatStrides {
  size_t head;
  size_t token;
};

FormatStrides strides_of(MemoryFormat format, size_t heads, size_t tokens, size_t head_dim) {
  FormatStrides strides;
  switch (format) {
    case MemoryFormat::kBSHD:
      strides.head = head_dim;
      strides.token = heads * head_dim;
      break;
    case MemoryFormat::kBHSD:
    case MemoryFormat::kBlocked:
    default:
      strides.head = tokens * head_dim;
      strides.token = head_dim;
      break;
  }
  return strides;
}

/* Whole cache lines for each head make streaming over one head worth the scattered append. */
MemoryFormat preferred_format(const CacheDimensions& dimensions) {
  if (dimensions.paged()) {
    return MemoryFormat::kBlocked;
  }
  if (dimensions.head_dim * sizeof(float) % 64 == 0) {
    return MemoryFormat::kBHSD;
  }
  return MemoryFormat::kBSHD;
}

/* A packed tensor of `tokens` tokens in a known format. */
struct TensorView {
  const float* data;
  FormatStrides strides;

  const float* row(size_t head, size_t token) const {
    return data + head * strides.head + token * strides.token;
  }
};

TensorView view_as(const float* data, MemoryFormat format, size_t heads, size_t tokens,
                   size_t head_dim) {
  TensorView view;
  view.data = data;
  view.strides = strides_of(format, heads, tokens, head_dim);
  return view;
}

/* ------------------------------------------------------------------------------------------------
 * 3. Block allocator, block table
 * ---------------------------------------------------------------------------------------------- */

/*
 * Hands out blocks next-fit from a bitmap: the search goes on where the last one ended, so that a
 * block that was just freed is not used again at once.
 */
class BlockAllocator {
 public:
  explicit BlockAllocator(size_t blocks) : used_(blocks, 0), free_count_(blocks), cursor_(0) {}

  size_t total() const { return used_.size(); }
  size_t free_count() const { return free_count_; }
  size_t used_count() const { return used_.size() - free_count_; }

  /* False when there is no free block. */
  bool allocate(uint32_t* block) {
    if (free_count_ == 0) {
      return false;
    }
    while (used_[cursor_] != 0) {
      cursor_ = (cursor_ + 1) % used_.size();
    }
    used_[cursor_] = 1;
    *block = static_cast<uint32_t>(cursor_);
    cursor_ = (cursor_ + 1) % used_.size();
    free_count_ -= 1;
    return true;
  }

  void release(uint32_t block) {
    if (used_[block] != 0) {
      used_[block] = 0;
      free_count_ += 1;
    }
  }

  /* Runs of neighbouring free blocks: 1 is not fragmented at all. */
  size_t free_runs() const {
    size_t runs = 0;
    bool in_run = false;
    for (size_t i = 0; i < used_.size(); ++i) {
      if (used_[i] == 0 && !in_run) {
        runs += 1;
      }
      in_run = used_[i] == 0;
    }
    return runs;
  }

 private:
  std::vector<uint8_t> used_;
  size_t free_count_;
  size_t cursor_;
};

/* The blocks that hold the tokens, in order. */
class BlockTable {
 public:
  BlockTable(size_t block_size, size_t most_blocks) : block_size_(block_size) {
    blocks_.reserve(most_blocks);
  }

  size_t size() const { return blocks_.size(); }

  size_t blocks_for(size_t tokens) const { return (tokens + block_size_ - 1) / block_size_; }

  size_t missing(size_t tokens) const {
    const size_t needed = blocks_for(tokens);
    return needed > blocks_.size() ? needed - blocks_.size() : 0;
  }

  void push(uint32_t block) { blocks_.push_back(block); }

  size_t physical_block(size_t token) const { return blocks_[token / block_size_]; }
  size_t slot(size_t token) const { return token % block_size_; }

  void release_all(BlockAllocator* allocator) {
    for (size_t i = 0; i < blocks_.size(); ++i) {
      allocator->release(blocks_[i]);
    }
    blocks_.clear();
  }

 private:
  size_t block_size_;
  std::vector<uint32_t> blocks_;
};

/* ------------------------------------------------------------------------------------------------
 * 4. Storage
 * ---------------------------------------------------------------------------------------------- */

/* Where the rows of K and V lie. */
class KVStorage {
 public:
  virtual ~KVStorage() {}

  virtual MemoryFormat format() const = 0;
  /* Room for `tokens` tokens in every layer: KV_OK, or why not. Nothing is changed then. */
  virtual int reserve(size_t tokens) = 0;
  /* Whether reserve would succeed. */
  virtual int can_reserve(size_t tokens) const = 0;
  virtual void clear() = 0;
  virtual float* key_row(size_t layer, size_t head, size_t token) = 0;
  virtual float* value_row(size_t layer, size_t head, size_t token) = 0;
  virtual void fill_usage(const std::vector<size_t>& lengths, kv_usage* usage) const = 0;

  void write_token(size_t layer, size_t token, size_t heads, size_t head_dim, const float* k,
                   const float* v) {
    for (size_t head = 0; head < heads; ++head) {
      std::copy(k + head * head_dim, k + (head + 1) * head_dim, key_row(layer, head, token));
      std::copy(v + head * head_dim, v + (head + 1) * head_dim, value_row(layer, head, token));
    }
  }

  void read_token(size_t layer, size_t token, size_t heads, size_t head_dim, float* k, float* v) {
    for (size_t head = 0; head < heads; ++head) {
      const float* key = key_row(layer, head, token);
      const float* value = value_row(layer, head, token);
      std::copy(key, key + head_dim, k + head * head_dim);
      std::copy(value, value + head_dim, v + head * head_dim);
    }
  }
};

/* One dense array for K and one for V, in BHSD or BSHD. */
class ContiguousStorage : public KVStorage {
 public:
  ContiguousStorage(const CacheDimensions& dimensions, MemoryFormat format)
      : dimensions_(dimensions),
        format_(format),
        strides_(
            strides_of(format, dimensions.heads, dimensions.max_tokens(), dimensions.head_dim)) {
    layer_floats_ = checked_product(static_cast<double>(dimensions.max_tokens()),
                                    static_cast<double>(dimensions.heads),
                                    static_cast<double>(dimensions.head_dim));
    const size_t floats = checked_product(static_cast<double>(layer_floats_),
                                          static_cast<double>(dimensions.layers), 1.0);
    keys_.reset(new float[floats]);
    values_.reset(new float[floats]);
  }

  MemoryFormat format() const override { return format_; }

  int can_reserve(size_t tokens) const override {
    return tokens > dimensions_.max_tokens() ? KV_CAPACITY : KV_OK;
  }

  int reserve(size_t tokens) override { return can_reserve(tokens); }

  void clear() override {}

  float* key_row(size_t layer, size_t head, size_t token) override {
    return keys_.get() + offset(layer, head, token);
  }

  float* value_row(size_t layer, size_t head, size_t token) override {
    return values_.get() + offset(layer, head, token);
  }

  void fill_usage(const std::vector<size_t>& lengths, kv_usage* usage) const override {
    const size_t tokens = std::accumulate(lengths.begin(), lengths.end(), static_cast<size_t>(0));
    usage->bytes = tokens * dimensions_.token_bytes();
    usage->pages_in_use = 0;
    usage->pages_free = 0;
  }

 private:
  size_t offset(size_t layer, size_t head, size_t token) const {
    return layer * layer_floats_ + head * strides_.head + token * strides_.token;
  }

  CacheDimensions dimensions_;
  MemoryFormat format_;
  FormatStrides strides_;
  size_t layer_floats_;
  std::unique_ptr<float[]> keys_;
  std::unique_ptr<float[]> values_;
};

/* A pool of blocks; a block holds K and V of its tokens in all layers. */
class PagedStorage : public KVStorage {
 public:
  explicit PagedStorage(const CacheDimensions& dimensions)
      : dimensions_(dimensions),
        strides_(strides_of(MemoryFormat::kBlocked, dimensions.heads, dimensions.block_size,
                            dimensions.head_dim)),
        plane_floats_(dimensions.block_size * dimensions.hidden()),
        memory_(new float[pool_floats(dimensions)]),
        allocator_(dimensions.blocks),
        table_(dimensions.block_size, dimensions.blocks) {}

  MemoryFormat format() const override { return MemoryFormat::kBlocked; }

  int can_reserve(size_t tokens) const override {
    if (tokens > dimensions_.max_tokens()) {
      return KV_CAPACITY;
    }
    if (table_.missing(tokens) > allocator_.free_count()) {
      return KV_NO_PAGES;
    }
    return KV_OK;
  }

  int reserve(size_t tokens) override {
    const int status = can_reserve(tokens);
    if (status != KV_OK) {
      return status;
    }
    for (size_t missing = table_.missing(tokens); missing > 0; --missing) {
      uint32_t block = 0;
      if (!allocator_.allocate(&block)) {
        return KV_NO_PAGES;
      }
      table_.push(block);
    }
    return KV_OK;
  }

  void clear() override { table_.release_all(&allocator_); }

  float* key_row(size_t layer, size_t head, size_t token) override {
    return memory_.get() + offset(layer, 0, head, token);
  }

  float* value_row(size_t layer, size_t head, size_t token) override {
    return memory_.get() + offset(layer, 1, head, token);
  }

  void fill_usage(const std::vector<size_t>&, kv_usage* usage) const override {
    usage->pages_in_use = allocator_.used_count();
    usage->pages_free = allocator_.free_count();
    usage->bytes = usage->pages_in_use * dimensions_.block_size * dimensions_.layers *
                   dimensions_.token_bytes();
  }

  size_t free_runs() const { return allocator_.free_runs(); }

 private:
  static size_t pool_floats(const CacheDimensions& dimensions) {
    const size_t tokens = checked_product(static_cast<double>(dimensions.blocks),
                                          static_cast<double>(dimensions.block_size), 1.0);
    return checked_product(static_cast<double>(tokens),
                           2.0 * static_cast<double>(dimensions.layers),
                           static_cast<double>(dimensions.hidden()));
  }

  size_t offset(size_t layer, size_t plane, size_t head, size_t token) const {
    const size_t block = table_.physical_block(token);
    const size_t planes = (block * dimensions_.layers + layer) * 2 + plane;
    return planes * plane_floats_ + head * strides_.head + table_.slot(token) * strides_.token;
  }

  CacheDimensions dimensions_;
  FormatStrides strides_;
  size_t plane_floats_;
  std::unique_ptr<float[]> memory_;
  BlockAllocator allocator_;
  BlockTable table_;
};

/* ------------------------------------------------------------------------------------------------
 * 5. Multi-head attention
 * ---------------------------------------------------------------------------------------------- */

class MultiHeadAttention {
 public:
  MultiHeadAttention(size_t heads, size_t head_dim)
      : heads_(heads),
        head_dim_(head_dim),
        scale_(1.0f / std::sqrt(static_cast<float>(head_dim))) {}

  /* All tokens of a prompt at once: q, k, v and out are [token][head][dim]. */
  void prefill(size_t tokens, const float* q, const float* k, const float* v, float* out) const {
    const TensorView keys = view_as(k, MemoryFormat::kBSHD, heads_, tokens, head_dim_);
    const TensorView values = view_as(v, MemoryFormat::kBSHD, heads_, tokens, head_dim_);
    std::vector<float> scores(tokens);
    for (size_t head = 0; head < heads_; ++head) {
      for (size_t i = 0; i < tokens; ++i) {
        const size_t row = (i * heads_ + head) * head_dim_;
        prefill_row(head, i, tokens, q + row, keys, values, out + row, scores);
      }
    }
  }

  /* One query against everything that the storage holds of a layer. */
  void decode(KVStorage* storage, size_t layer, size_t tokens, const float* q, float* out) const {
    if (tokens > kTiledDecodeThreshold) {
      decode_tiled(storage, layer, tokens, q, out);
      return;
    }
    std::vector<float> scores(tokens);
    std::fill(out, out + heads_ * head_dim_, 0.0f);
    for (size_t head = 0; head < heads_ && tokens > 0; ++head) {
      const float* query = q + head * head_dim_;
      for (size_t j = 0; j < tokens; ++j) {
        scores[j] = scale_ * dot_product(query, storage->key_row(layer, head, j), head_dim_);
      }
      softmax(scores.data(), tokens);
      for (size_t j = 0; j < tokens; ++j) {
        add_scaled(out + head * head_dim_, scores[j], storage->value_row(layer, head, j),
                   head_dim_);
      }
    }
  }

  /* One query against packed keys and values, [token][head][dim]. */
  void decode_packed(size_t tokens, const float* q, const float* k, const float* v,
                     float* out) const {
    const TensorView keys = view_as(k, MemoryFormat::kBSHD, heads_, tokens, head_dim_);
    const TensorView values = view_as(v, MemoryFormat::kBSHD, heads_, tokens, head_dim_);
    std::vector<float> scores(tokens);
    std::fill(out, out + heads_ * head_dim_, 0.0f);
    for (size_t head = 0; head < heads_; ++head) {
      const float* query = q + head * head_dim_;
      for (size_t j = 0; j < tokens; ++j) {
        scores[j] = scale_ * dot_product(query, keys.row(head, j), head_dim_);
      }
      softmax(scores.data(), tokens);
      for (size_t j = 0; j < tokens; ++j) {
        add_scaled(out + head * head_dim_, scores[j], values.row(head, j), head_dim_);
      }
    }
  }

 private:
  /* The causal mask: is position j hidden from position i? */
  static bool masked(size_t i, size_t j) { return j < i; }

  void prefill_row(size_t head, size_t i, size_t tokens, const float* query, const TensorView& keys,
                   const TensorView& values, float* out, std::vector<float>& scores) const {
    for (size_t j = 0; j < tokens; ++j) {
      if (masked(i, j)) {
        scores[j] = -std::numeric_limits<float>::infinity();
      } else {
        scores[j] = scale_ * dot_product(query, keys.row(head, j), head_dim_);
      }
    }
    softmax(scores.data(), tokens);
    std::fill(out, out + head_dim_, 0.0f);
    for (size_t j = 0; j < tokens; ++j) {
      if (!masked(i, j)) {
        add_scaled(out, scores[j], values.row(head, j), head_dim_);
      }
    }
  }

  /*
   * Long sequences: tiles of tokens with a running maximum and sum, so that the scores of one tile
   * stay in the first-level cache.
   */
  void decode_tiled(KVStorage* storage, size_t layer, size_t tokens, const float* q,
                    float* out) const {
    float scores[kTileTokens];
    float accumulated[kMaxHeadDim];
    for (size_t head = 0; head < heads_; ++head) {
      float largest = -std::numeric_limits<float>::infinity();
      double total = 0.0;
      std::fill(accumulated, accumulated + head_dim_, 0.0f);
      for (size_t start = 0; start < tokens; start += kTileTokens) {
        const size_t count = std::min(kTileTokens, tokens - start);
        float tile_largest = largest;
        for (size_t j = 0; j < count; ++j) {
          scores[j] = scale_ * dot_product(q + head * head_dim_,
                                           storage->key_row(layer, head, start + j), head_dim_);
          tile_largest = std::max(tile_largest, scores[j]);
        }
        const float correction = std::exp(largest - tile_largest);
        total *= correction;
        for (size_t i = 0; i < head_dim_; ++i) {
          accumulated[i] *= correction;
        }
        for (size_t j = 0; j < count; ++j) {
          const float weight = std::exp(scores[j] - tile_largest);
          total += weight;
          add_scaled(accumulated, weight, storage->value_row(layer, head, start + j), head_dim_);
        }
        largest = tile_largest;
      }
      for (size_t i = 0; i < head_dim_; ++i) {
        out[head * head_dim_ + i] = static_cast<float>(accumulated[i] / total);
      }
    }
  }

  size_t heads_;
  size_t head_dim_;
  float scale_;
};

/* ------------------------------------------------------------------------------------------------
 * 6. KV-cache manager
 * ---------------------------------------------------------------------------------------------- */

/* What the cache was asked for since it was made. */
struct CacheStatistics {
  uint64_t prefill_tokens;
  uint64_t appended_tokens;
  uint64_t queries;
  uint64_t tokens_read;
  uint64_t refused_calls;

  void count_prefill(size_t tokens) { prefill_tokens += tokens; }
  void count_append(size_t tokens) { appended_tokens += tokens; }
  void count_attend(size_t count, size_t length) {
    queries += count;
    tokens_read += static_cast<uint64_t>(count) * length;
  }
  int count_refusal(int status) {
    refused_calls += 1;
    return status;
  }

  double mean_context() const {
    if (queries == 0) {
      return 0.0;
    }
    return static_cast<double>(tokens_read) / static_cast<double>(queries);
  }
};

std::unique_ptr<KVStorage> make_storage(const CacheDimensions& dimensions) {
  const MemoryFormat format = preferred_format(dimensions);
  if (format == MemoryFormat::kBlocked) {
    return std::unique_ptr<KVStorage>(new PagedStorage(dimensions));
  }
  return std::unique_ptr<KVStorage>(new ContiguousStorage(dimensions, format));
}

}  // namespace

/* The keys and values of a layer are found by the number of the layer. */
struct kv_cache {
 public:
  explicit kv_cache(const kv_config& config)
      : dimensions_(dimensions_of(config)),
        attention_(dimensions_.heads, dimensions_.head_dim),
        storage_(make_storage(dimensions_)),
        lengths_(dimensions_.layers, 0),
        statistics_() {}

  const CacheStatistics& statistics() const { return statistics_; }
  const CacheDimensions& dimensions() const { return dimensions_; }
  MemoryFormat format() const { return storage_->format(); }
  const KVStorage* storage() const { return storage_.get(); }

  bool valid_layer(int32_t layer) const {
    return layer >= 0 && static_cast<size_t>(layer) < dimensions_.layers;
  }
  bool valid_sequence(int32_t sequence) const {
    return sequence >= 0 && static_cast<size_t>(sequence) < dimensions_.batch;
  }
  bool valid_sequences(size_t count, const int32_t* sequences) const {
    for (size_t i = 0; i < count; ++i) {
      if (!valid_sequence(sequences[i])) {
        return false;
      }
    }
    return true;
  }

  size_t length(size_t layer) const { return lengths_[layer]; }

  int prefill(size_t layer, size_t tokens, const float* q, const float* k, const float* v,
              float* out) {
    if (lengths_[layer] > 0) {
      return statistics_.count_refusal(KV_UNSUPPORTED);
    }
    if (tokens > dimensions_.capacity) {
      return statistics_.count_refusal(KV_CAPACITY);
    }
    const int status = storage_->can_reserve(tokens);
    if (status != KV_OK) {
      return statistics_.count_refusal(status);
    }
    attention_.prefill(tokens, q, k, v, out);
    statistics_.count_prefill(tokens);
    return KV_OK;
  }

  int append(size_t layer, size_t count, const float* k, const float* v) {
    if (count > dimensions_.max_tokens() - lengths_[layer]) {
      return statistics_.count_refusal(KV_CAPACITY);
    }
    const int status = storage_->reserve(lengths_[layer] + count);
    if (status != KV_OK) {
      return statistics_.count_refusal(status);
    }
    statistics_.count_append(count);
    for (size_t i = 0; i < count; ++i) {
      const size_t row = i * dimensions_.hidden();
      storage_->write_token(layer, lengths_[layer], dimensions_.heads, dimensions_.head_dim,
                            k + row, v + row);
      lengths_[layer] += 1;
    }
    return KV_OK;
  }

  void attend(size_t layer, size_t count, const float* q, float* out) {
    statistics_.count_attend(count, lengths_[layer]);
    for (size_t i = 0; i < count; ++i) {
      const size_t row = i * dimensions_.hidden();
      attention_.decode(storage_.get(), layer, lengths_[layer], q + row, out + row);
    }
  }

  void clear() {
    std::fill(lengths_.begin(), lengths_.end(), static_cast<size_t>(0));
    storage_->clear();
  }

  bool read(size_t layer, size_t first, size_t count, float* k, float* v) const {
    if (count > lengths_[layer] || first > lengths_[layer] - count) {
      return false;
    }
    for (size_t i = 0; i < count; ++i) {
      const size_t row = i * dimensions_.hidden();
      storage_->read_token(layer, first + i, dimensions_.heads, dimensions_.head_dim, k + row,
                           v + row);
    }
    return true;
  }

  void usage(kv_usage* usage) const { storage_->fill_usage(lengths_, usage); }

 private:
  CacheDimensions dimensions_;
  MultiHeadAttention attention_;
  std::unique_ptr<KVStorage> storage_;
  std::vector<size_t> lengths_;
  CacheStatistics statistics_;
};

/* ------------------------------------------------------------------------------------------------
 * 7. Transformer stack
 * ---------------------------------------------------------------------------------------------- */

namespace {

class RMSNorm {
 public:
  RMSNorm() : gain_(nullptr), width_(0), eps_(0.0f) {}
  RMSNorm(const float* gain, size_t width, float eps) : gain_(gain), width_(width), eps_(eps) {}

  void forward(const float* x, float* y) const {
    double squares = 0.0;
    for (size_t i = 0; i < width_; ++i) {
      squares += static_cast<double>(x[i]) * x[i];
    }
    const double inverse = 1.0 / std::sqrt(squares / static_cast<double>(width_) + eps_);
    for (size_t i = 0; i < width_; ++i) {
      y[i] = static_cast<float>(gain_[i] * x[i] * inverse);
    }
  }

 private:
  const float* gain_;
  size_t width_;
  float eps_;
};

/* A matrix [output][input]. */
class Linear {
 public:
  Linear() : weight_(nullptr), outputs_(0), inputs_(0) {}
  Linear(const float* weight, size_t outputs, size_t inputs)
      : weight_(weight), outputs_(outputs), inputs_(inputs) {}

  void forward(const float* x, float* y) const {
    for (size_t i = 0; i < outputs_; ++i) {
      y[i] = dot_product(weight_ + i * inputs_, x, inputs_);
    }
  }

 private:
  const float* weight_;
  size_t outputs_;
  size_t inputs_;
};

class RotaryEmbedding {
 public:
  RotaryEmbedding() : heads_(0), head_dim_(0), base_(0.0) {}
  RotaryEmbedding(size_t heads, size_t head_dim, float base)
      : heads_(heads), head_dim_(head_dim), base_(static_cast<double>(base)) {}

  /* In place; x is [head][dim]. */
  void rotate(float* x, size_t position) const {
    if (base_ <= 0.0) {
      return;
    }
    const size_t half = head_dim_ / 2;
    for (size_t i = 0; i < half; ++i) {
      const double exponent = -2.0 * static_cast<double>(i) / static_cast<double>(head_dim_);
      const double angle = static_cast<double>(position) * std::pow(base_, exponent);
      const double cosine = std::cos(angle);
      const double sine = std::sin(angle);
      for (size_t head = 0; head < heads_; ++head) {
        float* pair = x + head * head_dim_ + i;
        const double first = pair[0];
        const double second = pair[half];
        pair[0] = static_cast<float>(first * cosine - second * sine);
        pair[half] = static_cast<float>(first * sine + second * cosine);
      }
    }
  }

 private:
  size_t heads_;
  size_t head_dim_;
  double base_;
};

/* x + Wdown(silu(Wgate h) * (Wup h)) */
class FeedForward {
 public:
  FeedForward() : width_(0), hidden_(0) {}
  FeedForward(const RMSNorm& norm, const Linear& gate, const Linear& up, const Linear& down,
              size_t width, size_t hidden)
      : norm_(norm), gate_(gate), up_(up), down_(down), width_(width), hidden_(hidden) {}

  void add_to(float* x) const {
    if (hidden_ == 0) {
      return;
    }
    std::vector<float> normalised(width_);
    std::vector<float> gate(hidden_);
    std::vector<float> up(hidden_);
    std::vector<float> down(width_);
    norm_.forward(x, normalised.data());
    gate_.forward(normalised.data(), gate.data());
    up_.forward(normalised.data(), up.data());
    for (size_t i = 0; i < hidden_; ++i) {
      const double a = gate[i];
      gate[i] = static_cast<float>(a / (1.0 + std::exp(-a)) * up[i]);
    }
    down_.forward(gate.data(), down.data());
    add_scaled(x, 1.0f, down.data(), width_);
  }

 private:
  RMSNorm norm_;
  Linear gate_;
  Linear up_;
  Linear down_;
  size_t width_;
  size_t hidden_;
};

/* The stack's own keys and values of one layer: BHSD, heads apart by the capacity. */
class LayerHistory {
 public:
  LayerHistory(size_t heads, size_t head_dim, size_t capacity)
      : heads_(heads),
        head_dim_(head_dim),
        strides_(strides_of(MemoryFormat::kBHSD, heads, capacity, head_dim)),
        keys_(new float[checked_product(static_cast<double>(heads), static_cast<double>(head_dim),
                                        static_cast<double>(capacity))]),
        values_(new float[heads * head_dim * capacity]) {}

  void write(size_t token, const float* k, const float* v) {
    for (size_t head = 0; head < heads_; ++head) {
      const size_t row = head * strides_.head + token * strides_.token;
      std::copy(k + head * head_dim_, k + (head + 1) * head_dim_, keys_.get() + row);
      std::copy(v + head * head_dim_, v + (head + 1) * head_dim_, values_.get() + row);
    }
  }

  /* The first `tokens` tokens without the gaps between heads. */
  void pack(size_t tokens, std::vector<float>* keys, std::vector<float>* values) const {
    const size_t count = tokens * head_dim_;
    keys->resize(heads_ * count);
    values->resize(heads_ * count);
    for (size_t head = 0; head < heads_; ++head) {
      const float* key = keys_.get() + head * strides_.head;
      const float* value = values_.get() + head * strides_.head;
      std::copy(key, key + count, keys->data() + head * count);
      std::copy(value, value + count, values->data() + head * count);
    }
  }

 private:
  size_t heads_;
  size_t head_dim_;
  FormatStrides strides_;
  std::unique_ptr<float[]> keys_;
  std::unique_ptr<float[]> values_;
};

class TransformerLayer {
 public:
  TransformerLayer(const kv_decoder_config& config, const float** weights)
      : width_(static_cast<size_t>(config.width)),
        hidden_(static_cast<size_t>(config.query_heads) * static_cast<size_t>(config.head_size)),
        attention_(static_cast<size_t>(config.query_heads), static_cast<size_t>(config.head_size)),
        rotary_(static_cast<size_t>(config.query_heads), static_cast<size_t>(config.head_size),
                config.rope_base),
        history_(static_cast<size_t>(config.query_heads), static_cast<size_t>(config.head_size),
                 static_cast<size_t>(config.capacity)) {
    norm_ = take_norm(config, weights);
    query_ = take_linear(hidden_, width_, weights);
    key_ = take_linear(hidden_, width_, weights);
    value_ = take_linear(hidden_, width_, weights);
    output_ = take_linear(width_, hidden_, weights);
    if (config.mlp_width > 0) {
      const size_t mlp = static_cast<size_t>(config.mlp_width);
      const RMSNorm norm = take_norm(config, weights);
      const Linear gate = take_linear(mlp, width_, weights);
      const Linear up = take_linear(mlp, width_, weights);
      const Linear down = take_linear(width_, mlp, weights);
      feed_forward_ = FeedForward(norm, gate, up, down, width_, mlp);
    }
  }

  static RMSNorm take_norm(const kv_decoder_config& config, const float** weights) {
    const float* gain = *weights;
    *weights += config.width;
    return RMSNorm(gain, static_cast<size_t>(config.width), config.norm_eps);
  }

  static Linear take_linear(size_t outputs, size_t inputs, const float** weights) {
    const float* weight = *weights;
    *weights += outputs * inputs;
    return Linear(weight, outputs, inputs);
  }

  /* A whole prompt from position 0; x is [token][width]. */
  void forward_prompt(size_t tokens, std::vector<float>& x) {
    std::vector<float> q(tokens * hidden_);
    std::vector<float> k(tokens * hidden_);
    std::vector<float> v(tokens * hidden_);
    std::vector<float> attended(tokens * hidden_);
    for (size_t i = 0; i < tokens; ++i) {
      const size_t row = i * hidden_;
      project(x.data() + i * width_, i, q.data() + row, k.data() + row, v.data() + row);
      history_.write(i, k.data() + row, v.data() + row);
    }
    attention_.prefill(tokens, q.data(), k.data(), v.data(), attended.data());
    for (size_t i = 0; i < tokens; ++i) {
      finish(attended.data() + i * hidden_, x.data() + i * width_);
    }
  }

  /* One token at `position`, after all those before it; x is [width]. */
  void forward_token(size_t position, std::vector<float>& x) {
    std::vector<float> q(hidden_);
    std::vector<float> k(hidden_);
    std::vector<float> v(hidden_);
    std::vector<float> attended(hidden_);
    std::vector<float> keys;
    std::vector<float> values;
    project(x.data(), position, q.data(), k.data(), v.data());
    history_.write(position, k.data(), v.data());
    history_.pack(position + 1, &keys, &values);
    attention_.decode_packed(position + 1, q.data(), keys.data(), values.data(), attended.data());
    finish(attended.data(), x.data());
  }

 private:
  void project(const float* x, size_t position, float* q, float* k, float* v) const {
    std::vector<float> normalised(width_);
    norm_.forward(x, normalised.data());
    query_.forward(normalised.data(), q);
    key_.forward(normalised.data(), k);
    value_.forward(normalised.data(), v);
    rotary_.rotate(q, position);
    rotary_.rotate(k, position);
  }

  void finish(const float* attended, float* x) const {
    std::vector<float> projected(width_);
    output_.forward(attended, projected.data());
    add_scaled(x, 1.0f, projected.data(), width_);
    feed_forward_.add_to(x);
  }

  size_t width_;
  size_t hidden_;
  MultiHeadAttention attention_;
  RotaryEmbedding rotary_;
  LayerHistory history_;
  RMSNorm norm_;
  Linear query_;
  Linear key_;
  Linear value_;
  Linear output_;
  FeedForward feed_forward_;
};

}  // namespace

/* Embedding, layers, final norm, output matrix. */
struct kv_decoder {
 public:
  kv_decoder(const kv_decoder_config& config, const float* weights, size_t weight_count)
      : width_(static_cast<size_t>(config.width)),
        vocabulary_(static_cast<size_t>(config.vocabulary)),
        capacity_(static_cast<size_t>(config.capacity)),
        position_(0),
        weights_(weights, weights + weight_count) {
    const float* next = weights_.data();
    embedding_ = next;
    next += vocabulary_ * width_;
    for (int32_t layer = 0; layer < config.layers; ++layer) {
      layers_.push_back(TransformerLayer(config, &next));
    }
    final_norm_ = TransformerLayer::take_norm(config, &next);
    output_ = TransformerLayer::take_linear(vocabulary_, width_, &next);
  }

  bool valid_token(int32_t token) const {
    return token >= 0 && static_cast<size_t>(token) < vocabulary_;
  }
  size_t room() const { return capacity_ - position_; }
  void reset() { position_ = 0; }

  void run(size_t count, const int32_t* tokens, float* logits) {
    if (position_ == 0 && count > 1) {
      run_prompt(count, tokens, logits);
      return;
    }
    std::vector<float> x(width_);
    for (size_t i = 0; i < count; ++i) {
      embed(tokens[i], x.data());
      for (size_t layer = 0; layer < layers_.size(); ++layer) {
        layers_[layer].forward_token(position_, x);
      }
      position_ += 1;
    }
    write_logits(x.data(), logits);
  }

 private:
  void run_prompt(size_t count, const int32_t* tokens, float* logits) {
    std::vector<float> x(count * width_);
    for (size_t i = 0; i < count; ++i) {
      embed(tokens[i], x.data() + i * width_);
    }
    for (size_t layer = 0; layer < layers_.size(); ++layer) {
      layers_[layer].forward_prompt(count, x);
    }
    position_ = count;
    write_logits(x.data() + (count - 1) * width_, logits);
  }

  void embed(int32_t token, float* x) const {
    const float* row = embedding_ + static_cast<size_t>(token) * width_;
    std::copy(row, row + width_, x);
  }

  void write_logits(const float* x, float* logits) const {
    std::vector<float> normalised(width_);
    final_norm_.forward(x, normalised.data());
    output_.forward(normalised.data(), logits);
  }

  size_t width_;
  size_t vocabulary_;
  size_t capacity_;
  size_t position_;
  std::vector<float> weights_;
  const float* embedding_;
  std::vector<TransformerLayer> layers_;
  RMSNorm final_norm_;
  Linear output_;
};

/* ------------------------------------------------------------------------------------------------
 * 8. Sampling
 * ---------------------------------------------------------------------------------------------- */

namespace {

struct Candidate {
  int32_t token;
  float logit;
};

bool more_likely(const Candidate& a, const Candidate& b) {
  if (a.logit != b.logit) {
    return a.logit > b.logit;
  }
  return a.token < b.token;
}

int32_t sample_greedy(int32_t vocabulary, const float* logits) {
  int32_t best = 0;
  for (int32_t i = 1; i < vocabulary; ++i) {
    if (logits[i] > logits[best]) {
      best = i;
    }
  }
  return best;
}

int32_t sample_top_k(int32_t vocabulary, const float* logits, float temperature, int32_t top_k,
                     float uniform) {
  std::vector<Candidate> candidates;
  for (int32_t i = 0; i < vocabulary; ++i) {
    const Candidate candidate = {i, logits[i]};
    candidates.push_back(candidate);
  }
  std::sort(candidates.begin(), candidates.end(), more_likely);
  if (top_k > 0 && top_k < vocabulary) {
    candidates.resize(static_cast<size_t>(top_k));
  }
  const double largest = candidates[0].logit;
  std::vector<double> probabilities;
  double total = 0.0;
  for (size_t i = 0; i < candidates.size(); ++i) {
    probabilities.push_back(std::exp((candidates[i].logit - largest) / temperature));
    total += probabilities.back();
  }
  double cumulative = 0.0;
  for (size_t i = 0; i < candidates.size(); ++i) {
    cumulative += probabilities[i] / total;
    if (cumulative > uniform) {
      return candidates[i].token;
    }
  }
  return candidates.back().token;
}

/* ------------------------------------------------------------------------------------------------
 * 9. Memory analyzer
 * ---------------------------------------------------------------------------------------------- */

struct GpuSpec {
  const char* name;
  double memory_bytes;
  double bytes_per_second;
  double flops_per_second;
};

struct ModelSpec {
  const char* name;
  double parameters;
  size_t layers;
  size_t heads;
  size_t head_dim;
  size_t element_bytes;
};

const double kTransactionBytes = 128.0;

/* Estimates: what a step costs if the GPU reaches its peak numbers. */
class MemoryAnalyzer {
 public:
  MemoryAnalyzer(const ModelSpec& model, const GpuSpec& gpu) : model_(model), gpu_(gpu) {}

  double bytes_per_token() const {
    return 2.0 * static_cast<double>(model_.layers * model_.heads * model_.head_dim *
                                     model_.element_bytes);
  }

  double cache_bytes(size_t batch, size_t tokens) const {
    return bytes_per_token() * static_cast<double>(batch * tokens);
  }

  double weight_bytes() const {
    return model_.parameters * static_cast<double>(model_.element_bytes);
  }

  double memory_share(size_t batch, size_t tokens) const {
    return (weight_bytes() + cache_bytes(batch, tokens)) / gpu_.memory_bytes;
  }

  /* Each step reads all weights once and the whole cache once. */
  double estimated_decode_ms(size_t batch, size_t tokens) const {
    const double bytes = weight_bytes() + cache_bytes(batch, tokens);
    const double memory_ms = 1e3 * bytes / gpu_.bytes_per_second;
    const double compute_ms = 1e3 * decode_flops(batch, tokens) / gpu_.flops_per_second;
    return std::max(memory_ms, compute_ms);
  }

  double estimated_prefill_ms(size_t batch, size_t tokens) const {
    const double bytes = weight_bytes() + cache_bytes(batch, tokens);
    const double memory_ms = 1e3 * bytes / gpu_.bytes_per_second;
    const double compute_ms = 1e3 * prefill_flops(batch, tokens) / gpu_.flops_per_second;
    return std::max(memory_ms, compute_ms);
  }

  double estimated_tokens_per_second(size_t batch, size_t tokens) const {
    return 1e3 * static_cast<double>(batch) / estimated_decode_ms(batch, tokens);
  }

  /* The most sequences of that length that fit beside the weights. */
  size_t largest_batch(size_t tokens) const {
    const double room = gpu_.memory_bytes - weight_bytes();
    return room <= 0.0 ? 0 : static_cast<size_t>(room / cache_bytes(1, tokens));
  }

  /* Memory transactions of 128 bytes to append one token in one layer. */
  double append_transactions(MemoryFormat format) const {
    const double row_bytes = static_cast<double>(model_.head_dim * model_.element_bytes);
    const double heads = static_cast<double>(model_.heads);
    if (format == MemoryFormat::kBSHD) {
      return 2.0 * std::ceil(heads * row_bytes / kTransactionBytes);
    }
    return 2.0 * heads * std::ceil(row_bytes / kTransactionBytes);
  }

  /* The same to read all tokens of one head. */
  double stream_transactions(MemoryFormat format, size_t tokens) const {
    const double row_bytes = static_cast<double>(model_.head_dim * model_.element_bytes);
    const double count = static_cast<double>(tokens);
    if (format == MemoryFormat::kBSHD) {
      return 2.0 * count * std::ceil(row_bytes / kTransactionBytes);
    }
    return 2.0 * std::ceil(count * row_bytes / kTransactionBytes);
  }

  double decode_flops(size_t batch, size_t tokens) const {
    return static_cast<double>(batch) * (2.0 * model_.parameters + attention_flops(tokens));
  }

  double prefill_flops(size_t batch, size_t tokens) const {
    const double count = static_cast<double>(tokens);
    return static_cast<double>(batch) * count *
           (2.0 * model_.parameters + 0.5 * attention_flops(tokens));
  }

  /* What blocks of a fixed size leave unused in their last block, on average. */
  double expected_waste(size_t block_size, size_t tokens) const {
    const double unused = 0.5 * static_cast<double>(block_size - 1);
    return unused / (unused + static_cast<double>(tokens));
  }

  void print_growth() const {
    const size_t lengths[5] = {512, 1024, 2048, 4096, 8192};
    const size_t batches[4] = {1, 4, 16, 64};
    std::printf("%s: cache in MiB over batch (rows) and length (columns)\n", model_.name);
    std::printf("%8s", "");
    for (size_t length : lengths) {
      std::printf("%12zu", length);
    }
    std::printf("\n");
    for (size_t batch : batches) {
      std::printf("%8zu", batch);
      for (size_t length : lengths) {
        std::printf("%12.1f", cache_bytes(batch, length) / (1024.0 * 1024.0));
      }
      std::printf("\n");
    }
  }

  void print_latency() const {
    const size_t lengths[4] = {512, 2048, 8192, 32768};
    std::printf("%s on %s: estimated latency\n", model_.name, gpu_.name);
    std::printf("%8s %14s %14s %10s\n", "length", "prefill ms", "decode ms", "memory");
    for (size_t length : lengths) {
      std::printf("%8zu %14.2f %14.3f %9.1f%%\n", length, estimated_prefill_ms(1, length),
                  estimated_decode_ms(1, length), 100.0 * memory_share(1, length));
    }
  }

  void print_throughput() const {
    const size_t lengths[3] = {1024, 4096, 16384};
    std::printf("%s on %s: largest batch and its throughput\n", model_.name, gpu_.name);
    for (size_t length : lengths) {
      const size_t batch = largest_batch(length);
      std::printf("  %6zu tokens: batch %4zu, %10.1f tokens/s\n", length, batch,
                  batch == 0 ? 0.0 : estimated_tokens_per_second(batch, length));
    }
  }

  void print_format_costs(const MemoryFormat* formats, const char* const* names,
                          size_t count) const {
    std::printf("transactions of 128 bytes: append one token, read 1000 tokens of a head\n");
    for (size_t i = 0; i < count; ++i) {
      std::printf("  %-8s %10.0f %10.0f\n", names[i], append_transactions(formats[i]),
                  stream_transactions(formats[i], 1000));
    }
  }

  void print_block_waste() const {
    const size_t block_sizes[4] = {8, 16, 32, 128};
    std::printf("expected share of unused slots, 500 tokens a sequence\n");
    for (size_t block_size : block_sizes) {
      std::printf("  block of %4zu tokens: %5.2f%%\n", block_size,
                  100.0 * expected_waste(block_size, 500));
    }
  }

 private:
  /* Scores and weighted sum of one query in all layers. */
  double attention_flops(size_t tokens) const {
    return 4.0 * static_cast<double>(model_.layers * model_.heads * model_.head_dim * tokens);
  }

  ModelSpec model_;
  GpuSpec gpu_;
};

/* ------------------------------------------------------------------------------------------------
 * 10. C interface
 * ---------------------------------------------------------------------------------------------- */

bool valid_config(const kv_config& config) {
  if (config.layers < 1 || config.query_heads < 1 || config.kv_heads < 1 || config.head_size < 1 ||
      config.batch < 1 || config.capacity < 1) {
    return false;
  }
  if (config.page_size < 0 || config.pages < 0 || config.window < 0) {
    return false;
  }
  if (config.query_heads % config.kv_heads != 0) {
    return false;
  }
  if (config.storage < KV_F32 || config.storage > KV_INT4) {
    return false;
  }
  if ((config.page_size == 0) != (config.pages == 0)) {
    return false;
  }
  return config.window <= config.capacity;
}

bool supported_config(const kv_config& config) {
  if (config.storage != KV_F32) {
    return false;
  }
  if (config.kv_heads != config.query_heads) {
    return false;
  }
  if (config.window != 0) {
    return false;
  }
  return static_cast<size_t>(config.head_size) <= kMaxHeadDim;
}

bool valid_decoder_config(const kv_decoder_config& config) {
  if (config.layers < 1 || config.width < 1 || config.query_heads < 1 || config.kv_heads < 1 ||
      config.head_size < 1 || config.vocabulary < 1 || config.capacity < 1) {
    return false;
  }
  if (config.mlp_width < 0 || config.window < 0 || config.window > config.capacity) {
    return false;
  }
  if (config.query_heads % config.kv_heads != 0) {
    return false;
  }
  if (!(config.rope_base >= 0.0f) || !(config.norm_eps >= 0.0f)) {
    return false;
  }
  return config.rope_base == 0.0f || config.head_size % 2 == 0;
}

double count_weights(const kv_decoder_config& config) {
  const double width = config.width;
  const double queries = static_cast<double>(config.query_heads) * config.head_size;
  const double keys = static_cast<double>(config.kv_heads) * config.head_size;
  double layer = width;
  layer += queries * width;
  layer += 2.0 * keys * width;
  layer += width * queries;
  if (config.mlp_width > 0) {
    layer += width;
    layer += 3.0 * width * config.mlp_width;
  }
  const double vocabulary = config.vocabulary;
  return vocabulary * width + config.layers * layer + width + vocabulary * width;
}

}  // namespace

extern "C" {

int kv_capabilities(void) { return KV_CAN_PAGED; }

int kv_create(const struct kv_config* config, kv_cache** cache) {
  if (config == nullptr || cache == nullptr) {
    return KV_INVALID_ARGUMENT;
  }
  if (!valid_config(*config)) {
    return KV_INVALID_ARGUMENT;
  }
  if (!supported_config(*config)) {
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
  if (cache == nullptr || !cache->valid_layer(layer) || !cache->valid_sequence(sequence)) {
    return KV_INVALID_ARGUMENT;
  }
  if (tokens == 0) {
    return KV_OK;
  }
  if (q == nullptr || k == nullptr || v == nullptr || out == nullptr) {
    return KV_INVALID_ARGUMENT;
  }
  try {
    return cache->prefill(static_cast<size_t>(layer), tokens, q, k, v, out);
  } catch (const std::bad_alloc&) {
    return KV_OUT_OF_MEMORY;
  }
}

int kv_append(kv_cache* cache, int32_t layer, size_t count, const int32_t* sequences,
              const float* k, const float* v) {
  if (cache == nullptr || !cache->valid_layer(layer)) {
    return KV_INVALID_ARGUMENT;
  }
  if (count == 0) {
    return KV_OK;
  }
  if (sequences == nullptr || k == nullptr || v == nullptr) {
    return KV_INVALID_ARGUMENT;
  }
  if (!cache->valid_sequences(count, sequences)) {
    return KV_INVALID_ARGUMENT;
  }
  return cache->append(static_cast<size_t>(layer), count, k, v);
}

int kv_attend(kv_cache* cache, int32_t layer, size_t count, const int32_t* sequences,
              const float* q, float* out) {
  if (cache == nullptr || !cache->valid_layer(layer)) {
    return KV_INVALID_ARGUMENT;
  }
  if (count == 0) {
    return KV_OK;
  }
  if (sequences == nullptr || q == nullptr || out == nullptr) {
    return KV_INVALID_ARGUMENT;
  }
  if (!cache->valid_sequences(count, sequences)) {
    return KV_INVALID_ARGUMENT;
  }
  try {
    cache->attend(static_cast<size_t>(layer), count, q, out);
  } catch (const std::bad_alloc&) {
    return KV_OUT_OF_MEMORY;
  }
  return KV_OK;
}

int kv_free(kv_cache* cache, int32_t sequence) {
  if (cache == nullptr || !cache->valid_sequence(sequence)) {
    return KV_INVALID_ARGUMENT;
  }
  cache->clear();
  return KV_OK;
}

int kv_length(const kv_cache* cache, int32_t layer, int32_t sequence, size_t* tokens) {
  if (cache == nullptr || tokens == nullptr) {
    return KV_INVALID_ARGUMENT;
  }
  if (!cache->valid_layer(layer) || !cache->valid_sequence(sequence)) {
    return KV_INVALID_ARGUMENT;
  }
  *tokens = cache->length(static_cast<size_t>(layer));
  return KV_OK;
}

int kv_get_usage(const kv_cache* cache, struct kv_usage* usage) {
  if (cache == nullptr || usage == nullptr) {
    return KV_INVALID_ARGUMENT;
  }
  cache->usage(usage);
  return KV_OK;
}

int kv_read(const kv_cache* cache, int32_t layer, int32_t sequence, size_t first, size_t count,
            float* k, float* v) {
  if (cache == nullptr || !cache->valid_layer(layer) || !cache->valid_sequence(sequence)) {
    return KV_INVALID_ARGUMENT;
  }
  if (count > 0 && (k == nullptr || v == nullptr)) {
    return KV_INVALID_ARGUMENT;
  }
  if (!cache->read(static_cast<size_t>(layer), first, count, k, v)) {
    return KV_INVALID_ARGUMENT;
  }
  return KV_OK;
}

int kv_decoder_create(const struct kv_decoder_config* config, const float* weights,
                      size_t weight_count, kv_decoder** decoder) {
  if (config == nullptr || weights == nullptr || decoder == nullptr) {
    return KV_INVALID_ARGUMENT;
  }
  if (!valid_decoder_config(*config)) {
    return KV_INVALID_ARGUMENT;
  }
  if (static_cast<double>(weight_count) != count_weights(*config)) {
    return KV_INVALID_ARGUMENT;
  }
  if (config->window != 0 || config->kv_heads != config->query_heads) {
    return KV_UNSUPPORTED;
  }
  if (static_cast<size_t>(config->head_size) > kMaxHeadDim) {
    return KV_UNSUPPORTED;
  }
  try {
    *decoder = new kv_decoder(*config, weights, weight_count);
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
  if (decoder == nullptr) {
    return KV_INVALID_ARGUMENT;
  }
  decoder->reset();
  return KV_OK;
}

int kv_decoder_prefill(kv_decoder* decoder, size_t count, const int32_t* tokens, float* logits) {
  if (decoder == nullptr || tokens == nullptr || logits == nullptr || count == 0) {
    return KV_INVALID_ARGUMENT;
  }
  for (size_t i = 0; i < count; ++i) {
    if (!decoder->valid_token(tokens[i])) {
      return KV_INVALID_ARGUMENT;
    }
  }
  if (count > decoder->room()) {
    return KV_CAPACITY;
  }
  try {
    decoder->run(count, tokens, logits);
  } catch (const std::bad_alloc&) {
    return KV_OUT_OF_MEMORY;
  }
  return KV_OK;
}

int kv_decoder_step(kv_decoder* decoder, int32_t token, float* logits) {
  return kv_decoder_prefill(decoder, 1, &token, logits);
}

int kv_sample(int32_t vocabulary, const float* logits, float temperature, int32_t top_k,
              float uniform, int32_t* token) {
  if (vocabulary < 1 || logits == nullptr || token == nullptr) {
    return KV_INVALID_ARGUMENT;
  }
  if (!(temperature >= 0.0f) || top_k < 0) {
    return KV_INVALID_ARGUMENT;
  }
  if (!(uniform >= 0.0f && uniform < 1.0f)) {
    return KV_INVALID_ARGUMENT;
  }
  if (temperature == 0.0f) {
    *token = sample_greedy(vocabulary, logits);
    return KV_OK;
  }
  try {
    *token = sample_top_k(vocabulary, logits, temperature, top_k, uniform);
  } catch (const std::bad_alloc&) {
    return KV_OUT_OF_MEMORY;
  }
  return KV_OK;
}

}  // extern "C"

/* ------------------------------------------------------------------------------------------------
 * 11. Demo: an engine that serves three requests for three steps, and the analysis tables
 * ---------------------------------------------------------------------------------------------- */

#ifdef ASSAY_PROGRAM

namespace {

const char* format_name(MemoryFormat format) {
  switch (format) {
    case MemoryFormat::kBHSD:
      return "BHSD";
    case MemoryFormat::kBSHD:
      return "BSHD";
    case MemoryFormat::kBlocked:
      return "BLOCKED";
  }
  return "unknown";
}

const GpuSpec kGpus[2] = {{"A100-80GB", 80e9, 2.04e12, 312e12},
                          {"H100-80GB", 80e9, 3.35e12, 989e12}};

const ModelSpec kDemoModel = {"7B model, fp16", 7e9, 32, 32, 128, 2};

class RandomRows {
 public:
  RandomRows() : state_(12345) {}

  std::vector<float> next(size_t count, float spread) {
    std::vector<float> rows(count);
    for (size_t i = 0; i < count; ++i) {
      state_ = state_ * 1664525u + 1013904223u;
      rows[i] = spread * (static_cast<float>(state_ >> 8) / 16777216.0f - 0.5f);
    }
    return rows;
  }

 private:
  uint32_t state_;
};

enum class RequestState { kWaiting, kRunning, kFinished };

struct Request {
  int32_t sequence;
  size_t prompt_tokens;
  size_t wanted_tokens;
  size_t generated_tokens;
  RequestState state;
};

Request make_request(int32_t sequence, size_t prompt_tokens, size_t wanted_tokens) {
  const Request request = {sequence, prompt_tokens, wanted_tokens, 0, RequestState::kWaiting};
  return request;
}

/* The running requests of one step, with what padding all of them to the longest would cost. */
struct Batch {
  std::vector<int32_t> sequences;
  size_t tokens;
  size_t padded_tokens;
};

Batch make_batch(const std::vector<Request>& requests) {
  Batch batch;
  batch.tokens = 0;
  size_t longest = 0;
  for (size_t i = 0; i < requests.size(); ++i) {
    if (requests[i].state == RequestState::kRunning) {
      const size_t length = requests[i].prompt_tokens + requests[i].generated_tokens;
      batch.sequences.push_back(requests[i].sequence);
      batch.tokens += length;
      longest = std::max(longest, length);
    }
  }
  batch.padded_tokens = longest * batch.sequences.size();
  return batch;
}

/* Serves all requests together: prefill one after the other, then decode as one batch. */
class InferenceEngine {
 public:
  InferenceEngine(const kv_config& config, kv_cache* cache)
      : config_(config),
        cache_(cache),
        hidden_(static_cast<size_t>(config.kv_heads) * static_cast<size_t>(config.head_size)) {}

  void submit(const Request& request) { requests_.push_back(request); }

  /* Prefills what is waiting, as long as the cache takes it. */
  int admit() {
    for (size_t i = 0; i < requests_.size(); ++i) {
      Request& request = requests_[i];
      if (request.state != RequestState::kWaiting) {
        continue;
      }
      const int status = prefill(request);
      if (status == KV_NO_PAGES || status == KV_CAPACITY) {
        return KV_OK;
      }
      if (status != KV_OK) {
        return status;
      }
      request.state = RequestState::kRunning;
    }
    return KV_OK;
  }

  /* One token for every running request. */
  int step() {
    const Batch batch = make_batch(requests_);
    const std::vector<float> rows = random_.next(batch.sequences.size() * hidden_, 1.0f);
    std::vector<float> out(rows.size());
    for (int32_t layer = 0; layer < config_.layers; ++layer) {
      int status = kv_append(cache_, layer, batch.sequences.size(), batch.sequences.data(),
                             rows.data(), rows.data());
      if (status == KV_OK) {
        status = kv_attend(cache_, layer, batch.sequences.size(), batch.sequences.data(),
                           rows.data(), out.data());
      }
      if (status != KV_OK) {
        return status;
      }
    }
    std::printf("    batch of %zu, %zu tokens, %zu when padded\n", batch.sequences.size(),
                batch.tokens, batch.padded_tokens);
    retire();
    return KV_OK;
  }

 private:
  int prefill(const Request& request) {
    const size_t count = request.prompt_tokens * hidden_;
    const std::vector<float> rows = random_.next(count, 1.0f);
    std::vector<float> out(count);
    for (int32_t layer = 0; layer < config_.layers; ++layer) {
      const int status = kv_prefill(cache_, layer, request.sequence, request.prompt_tokens,
                                    rows.data(), rows.data(), rows.data(), out.data());
      if (status != KV_OK) {
        return status;
      }
    }
    return KV_OK;
  }

  void retire() {
    for (size_t i = 0; i < requests_.size(); ++i) {
      Request& request = requests_[i];
      if (request.state == RequestState::kRunning) {
        request.generated_tokens += 1;
        if (request.generated_tokens == request.wanted_tokens) {
          request.state = RequestState::kFinished;
        }
      }
    }
  }

  kv_config config_;
  kv_cache* cache_;
  size_t hidden_;
  RandomRows random_;
  std::vector<Request> requests_;
};

void print_cache(const kv_cache* cache) {
  kv_usage usage;
  kv_get_usage(cache, &usage);
  std::printf("    %llu bytes, %llu pages used, %llu free, mean context %.1f\n",
              static_cast<unsigned long long>(usage.bytes),
              static_cast<unsigned long long>(usage.pages_in_use),
              static_cast<unsigned long long>(usage.pages_free),
              cache->statistics().mean_context());
  if (cache->dimensions().paged()) {
    const PagedStorage* storage = static_cast<const PagedStorage*>(cache->storage());
    std::printf("    runs of free blocks: %zu\n", storage->free_runs());
  }
}

int run_demo(int32_t page_size, int32_t pages) {
  const kv_config config = {2, 8, 8, 64, 3, 256, KV_F32, page_size, pages, 0};
  kv_cache* cache = nullptr;
  int status = kv_create(&config, &cache);
  if (status != KV_OK) {
    return status;
  }
  std::printf("demo: format %s\n", format_name(cache->format()));
  InferenceEngine engine(config, cache);
  engine.submit(make_request(0, 32, 3));
  engine.submit(make_request(1, 48, 2));
  engine.submit(make_request(2, 17, 3));
  for (int step = 0; step < 3 && status == KV_OK; ++step) {
    const std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
    status = engine.admit();
    if (status == KV_OK) {
      status = engine.step();
    }
    const std::chrono::steady_clock::time_point end = std::chrono::steady_clock::now();
    std::printf("  step %d: status %d, %.3f ms\n", step, status,
                1e3 * std::chrono::duration<double>(end - start).count());
    print_cache(cache);
  }
  kv_destroy(cache);
  return status;
}

/* Three tokens from a transformer with random weights. */
int run_generation() {
  const kv_decoder_config config = {2, 64, 4, 4, 16, 128, 100, 32, 0, 10000.0f, 1e-5f};
  RandomRows random;
  const std::vector<float> weights = random.next(static_cast<size_t>(count_weights(config)), 0.2f);
  kv_decoder* decoder = nullptr;
  int status = kv_decoder_create(&config, weights.data(), weights.size(), &decoder);
  if (status != KV_OK) {
    return status;
  }
  const int32_t prompt[4] = {11, 42, 7, 99};
  std::vector<float> logits(100);
  status = kv_decoder_prefill(decoder, 4, prompt, logits.data());
  std::printf("generation:");
  for (int step = 0; step < 3 && status == KV_OK; ++step) {
    int32_t token = 0;
    status = kv_sample(100, logits.data(), 0.8f, 20, 0.5f, &token);
    if (status == KV_OK) {
      std::printf(" %d", token);
      status = kv_decoder_step(decoder, token, logits.data());
    }
  }
  std::printf("\n");
  kv_decoder_destroy(decoder);
  return status;
}

/* A packed tensor of `tokens` tokens from one format to another. */
void convert_format(const float* input, MemoryFormat from, float* output, MemoryFormat to,
                    size_t heads, size_t tokens, size_t head_dim) {
  const FormatStrides source = strides_of(from, heads, tokens, head_dim);
  const FormatStrides target = strides_of(to, heads, tokens, head_dim);
  for (size_t head = 0; head < heads; ++head) {
    for (size_t token = 0; token < tokens; ++token) {
      const float* row = input + head * source.head + token * source.token;
      std::copy(row, row + head_dim, output + head * target.head + token * target.token);
    }
  }
}

/* How long it takes to turn a cache from one format into the other. */
void time_conversion(MemoryFormat from, MemoryFormat to) {
  const size_t heads = 32;
  const size_t tokens = 512;
  const size_t head_dim = 64;
  RandomRows random;
  const std::vector<float> input = random.next(heads * tokens * head_dim, 1.0f);
  std::vector<float> output(input.size());
  const std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  convert_format(input.data(), from, output.data(), to, heads, tokens, head_dim);
  const std::chrono::steady_clock::time_point end = std::chrono::steady_clock::now();
  std::printf("conversion %s to %s: %.3f ms for %zu tokens\n", format_name(from), format_name(to),
              1e3 * std::chrono::duration<double>(end - start).count(), tokens);
}

}  // namespace

int main() {
  if (run_demo(0, 0) != KV_OK || run_demo(16, 32) != KV_OK || run_generation() != KV_OK) {
    return 1;
  }
  time_conversion(MemoryFormat::kBSHD, MemoryFormat::kBHSD);
  time_conversion(MemoryFormat::kBHSD, MemoryFormat::kBSHD);
  for (size_t i = 0; i < 2; ++i) {
    const MemoryAnalyzer analyzer(kDemoModel, kGpus[i]);
    analyzer.print_latency();
    analyzer.print_throughput();
  }
  const MemoryFormat formats[3] = {MemoryFormat::kBHSD, MemoryFormat::kBSHD,
                                   MemoryFormat::kBlocked};
  const char* names[3];
  for (size_t i = 0; i < 3; ++i) {
    names[i] = format_name(formats[i]);
  }
  const MemoryAnalyzer analyzer(kDemoModel, kGpus[0]);
  analyzer.print_growth();
  analyzer.print_block_waste();
  analyzer.print_format_costs(formats, names, 3);
  return 0;
}

#endif /* ASSAY_PROGRAM */
