// Attention of one query token over the first tokens of a sequence: multi-head, grouped-query and
// multi-query alike, by an online softmax.
//
// Token by token, for each query head, with m the largest score so far:
//
//   s = (q . k) / sqrt(d);   m' = max(m, s);   c = exp(m - m')
//   sum = sum * c + exp(s - m');   acc = acc * c + exp(s - m') * v
//
// Sums are kept in double. The tokens are always taken in the same order, so that a prefill in
// chunks gives the same as one in a single call. K and V of a token are read, and dequantised, once
// for all query heads that share them. No mask is needed: later tokens are not read at all.
//
// Arithmetic intensity of decoding: 4 d FLOP for each query head and token over 2 d elements read
// for each KV head, that is query_heads / kv_heads FLOP a byte in f16. The ridge point of an
// H100-80 is 295: decoding is bound by memory for any common grouping, prefill of n tokens (about
// n / 4 FLOP a byte for MHA) by arithmetic from a good thousand tokens on.
//
// On a GPU: one block for each sequence, KV head and split of the tokens, with the queries of the
// group as the rows of one tensor-core tile (4 of 16 rows used by Llama-3-8B), K and V tiles of 64
// tokens double-buffered in shared memory (64 KiB of them in f16 at head size 128), partial
// (m, sum, acc) of the splits merged by a second, small launch.

#ifndef ATTENTION_H_
#define ATTENTION_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "kv_cache.h"

// Independent partial sums, which the compiler can keep in one vector.
template <class A, class B>
double dot(const A* a, const B* b, std::size_t count) {
  constexpr std::size_t kLanes = 8;
  std::array<double, kLanes> lanes = {};
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      lanes[lane] += static_cast<double>(a[i + lane]) * static_cast<double>(b[i + lane]);
    }
  }
  double sum = 0.0;
  for (; i < count; ++i) {
    sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  }
  for (const double lane : lanes) {
    sum += lane;
  }
  return sum;
}

class Attention {
 public:
  // Throws std::bad_alloc; nothing after it does.
  explicit Attention(const CacheShape& shape)
      : shape_(shape),
        scale_(1.0 / std::sqrt(static_cast<double>(shape.head_size))),
        heads_(shape.group()) {}

  // q and out are [query_heads][head_size]. Zeros when tokens is 0.
  void attend(const KvCache& cache, std::size_t layer, std::size_t sequence, std::size_t tokens,
              const float* q, float* out) {
    const std::size_t group_width = heads_.size() * shape_.head_size;
    for (std::size_t kv_head = 0; kv_head < shape_.kv_heads; ++kv_head) {
      const float* queries = q + kv_head * group_width;
      heads_.assign(heads_.size(), HeadState{});
      for (std::size_t token = 0; token < tokens;) {
        const Run run = cache.run(layer, sequence, kv_head, token, tokens);
        take(cache.format(), run, queries);
        token += run.tokens;
      }
      finish(out + kv_head * group_width);
    }
  }

 private:
  struct HeadState {
    double largest = -std::numeric_limits<double>::infinity();
    double sum = 0.0;
    std::array<double, kMaxHeadSize> weighted = {};
  };

  void take(const RowFormat& format, const Run& run, const float* queries) {
    std::array<float, kMaxHeadSize> key_buffer;
    std::array<float, kMaxHeadSize> value_buffer;
    for (std::size_t j = 0; j < run.tokens; ++j) {
      const float* key = format.decode(run.keys + j * format.bytes(), key_buffer.data());
      const float* value = format.decode(run.values + j * format.bytes(), value_buffer.data());
      for (std::size_t h = 0; h < heads_.size(); ++h) {
        const double score = dot(queries + h * shape_.head_size, key, shape_.head_size) * scale_;
        add(heads_[h], score, value);
      }
    }
  }

  void add(HeadState& head, double score, const float* value) const {
    if (score > head.largest) {
      const double correction = std::exp(head.largest - score);
      head.largest = score;
      head.sum *= correction;
      for (std::size_t i = 0; i < shape_.head_size; ++i) {
        head.weighted[i] *= correction;
      }
    }
    const double weight = std::exp(score - head.largest);
    head.sum += weight;
    for (std::size_t i = 0; i < shape_.head_size; ++i) {
      head.weighted[i] += weight * static_cast<double>(value[i]);
    }
  }

  void finish(float* out) const {
    for (const HeadState& head : heads_) {
      const double inverse = head.sum == 0.0 ? 0.0 : 1.0 / head.sum;
      for (std::size_t i = 0; i < shape_.head_size; ++i) {
        *out++ = static_cast<float>(head.weighted[i] * inverse);
      }
    }
  }

  CacheShape shape_;
  double scale_;
  std::vector<HeadState> heads_;  // of the group at work
};

#endif  // ATTENTION_H_
