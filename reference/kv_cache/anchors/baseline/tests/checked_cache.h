// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_KV_CACHE_ANCHORS_BASELINE_TESTS_CHECKED_CACHE_H_
#define ASSAY_REFERENCE_KV_CACHE_ANCHORS_BASELINE_TESTS_CHECKED_CACHE_H_

// A cache beside what it should hold, and attention over that from the definition in double.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#include "interface.h"

namespace checked {

using Floats = std::vector<float>;

inline constexpr double kTolerance = 1e-5;

inline int failures = 0;

// One line each, as TAP has it, so that one check that fails does not void the others.
inline void Check(bool holds, const char* name) {
  std::printf("%s %s\n", holds ? "ok" : "not ok", name);
  failures += holds ? 0 : 1;
}

// Normal, and other numbers each time.
inline Floats Noise(size_t count) {
  static std::mt19937 random(1);
  std::normal_distribution<float> normal;
  Floats values(count);
  for (float& value : values) {
    value = normal(random);
  }
  return values;
}

// The tokens of one sequence, with a KV head for each query head: [token][heads][size].
struct Tokens {
  Floats k;
  Floats v;
};

// A cache of one layer, and what each of its sequences should hold.
class Cache {
 public:
  explicit Cache(const kv_config& config)
      : config_(config), width_(Size(config.kv_heads * config.head_size)) {
    works_ = kv_create(&config, &cache_) == KV_OK;
    kept_.resize(Size(config.batch));
  }
  ~Cache() { kv_destroy(cache_); }
  Cache(const Cache&) = delete;
  Cache& operator=(const Cache&) = delete;

  static size_t Size(int32_t n) { return static_cast<size_t>(n); }
  [[nodiscard]] size_t width() const { return width_; }
  Tokens& kept(int32_t sequence) { return kept_[Size(sequence)]; }
  size_t Length(int32_t sequence) { return kept(sequence).k.size() / width_; }

  void Append(int32_t sequence, const Floats& k, const Floats& v) {
    const std::vector<int32_t> sequences(k.size() / width_, sequence);
    works_ = works_ &&
             kv_append(cache_, 0, sequences.size(), sequences.data(), k.data(), v.data()) == KV_OK;
    Keep(sequence, k, v);
  }
  void Append(int32_t sequence, size_t tokens) {
    Append(sequence, Noise(tokens * width_), Noise(tokens * width_));
  }
  Floats Prefill(int32_t sequence, const Floats& q, const Floats& k, const Floats& v) {
    Floats out(q.size());
    works_ = works_ && kv_prefill(cache_, 0, sequence, q.size() / width_, q.data(), k.data(),
                                  v.data(), out.data()) == KV_OK;
    Keep(sequence, k, v);
    return out;
  }
  Floats Attend(const std::vector<int32_t>& sequences, const Floats& q) {
    Floats out(q.size());
    works_ = works_ && kv_attend(cache_, 0, sequences.size(), sequences.data(), q.data(),
                                 out.data()) == KV_OK;
    return out;
  }
  void Free(int32_t sequence) {
    works_ = works_ && kv_free(cache_, sequence) == KV_OK;
    kept(sequence) = Tokens();
  }
  void Fork(int32_t parent, int32_t child) {
    works_ = works_ && kv_fork(cache_, parent, child) == KV_OK;
    kept(child) = kept(parent);
  }
  Tokens Read(int32_t sequence, size_t first, size_t count) {
    Tokens read = {Floats(count * width_), Floats(count * width_)};
    works_ =
        works_ && kv_read(cache_, 0, sequence, first, count, read.k.data(), read.v.data()) == KV_OK;
    return read;
  }

  // The output of a query of one head that sees the first `tokens` tokens, from the definition.
  std::vector<double> Definition(int32_t sequence, size_t tokens, const float* q, size_t head) {
    const Tokens& held = kept(sequence);
    const size_t size = Size(config_.head_size);
    const size_t window = Size(config_.window);
    const size_t first = window > 0 && tokens > window ? tokens - window : 0;
    std::vector<double> scores;
    for (size_t j = first; j < tokens; ++j) {
      double score = 0;
      for (size_t i = 0; i < size; ++i) {
        score += static_cast<double>(q[i]) * held.k[j * width_ + head * size + i];
      }
      scores.push_back(score / std::sqrt(static_cast<double>(size)));
    }
    const double largest = *std::max_element(scores.begin(), scores.end());
    double sum = 0;
    std::vector<double> out(size, 0.0);
    for (size_t j = first; j < tokens; ++j) {
      const double weight = std::exp(scores[j - first] - largest);
      sum += weight;
      for (size_t i = 0; i < size; ++i) {
        out[i] += weight * held.v[j * width_ + head * size + i];
      }
    }
    for (double& value : out) {
      value /= sum;
    }
    return out;
  }

  // How far `out` is from the definition: the largest error, and the RMS of errors over that of
  // outputs. As far as can be where a call failed or a number is none.
  struct Distance {
    double largest = 0;
    double relative_rms = 0;
  };
  Distance DistanceOf(int32_t sequence, size_t tokens, const float* q, const float* out) {
    Distance distance;
    double errors = 0;
    double values = 0;
    const size_t size = Size(config_.head_size);
    for (size_t i = 0; i < width_; i += size) {
      const std::vector<double> right = Definition(sequence, tokens, q + i, i / size);
      for (size_t j = 0; j < size; ++j) {
        const double error = std::fabs(right[j] - out[i + j]);
        errors += error * error;
        values += right[j] * right[j];
        distance.largest = error <= distance.largest ? distance.largest : error;
      }
    }
    distance.relative_rms = std::sqrt(errors / values);
    return works_ && std::isfinite(errors) ? distance : Distance{1e300, 1e300};
  }

  // Whether attention over the sequence is that over what it should hold.
  bool IsRight(int32_t sequence) {
    const Floats q = Noise(width_);
    const Floats out = Attend({sequence}, q);
    return DistanceOf(sequence, Length(sequence), q.data(), out.data()).largest < kTolerance;
  }
  [[nodiscard]] bool works() const { return works_; }

 private:
  void Keep(int32_t sequence, const Floats& k, const Floats& v) {
    Tokens& held = kept(sequence);
    held.k.insert(held.k.end(), k.begin(), k.end());
    held.v.insert(held.v.end(), v.begin(), v.end());
  }

  kv_config config_;
  size_t width_;
  std::vector<Tokens> kept_;
  kv_cache* cache_ = nullptr;
  bool works_ = false;
};

inline kv_config Contiguous(int32_t heads, int32_t head_size, int32_t batch, int32_t capacity) {
  return {.layers = 1,
          .query_heads = heads,
          .kv_heads = heads,
          .head_size = head_size,
          .batch = batch,
          .capacity = capacity,
          .storage = KV_F32,
          .page_size = 0,
          .pages = 0,
          .window = 0};
}

inline kv_config Paged(int32_t batch, int32_t page_size, int32_t pages) {
  kv_config config = Contiguous(2, 16, batch, page_size * pages);
  config.page_size = page_size;
  config.pages = pages;
  return config;
}

}  // namespace checked

#endif  // ASSAY_REFERENCE_KV_CACHE_ANCHORS_BASELINE_TESTS_CHECKED_CACHE_H_
