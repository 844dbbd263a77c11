// 10 demos of the cache, each of which checks what it shows. Everything is compared with attention
// (or a decoder) written down in double from the definition, which knows of no cache. Exit status
// 0: all checks passed.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <limits>
#include <random>
#include <vector>

#include "interface.h"

namespace {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

constexpr double kCachedTolerance = 1e-5;
constexpr double kChunkTolerance = 1e-6;

int failures = 0;

void check(bool passed, const char* what, double value = 0.0) {
  std::printf("  %s %-58s %.3g\n", passed ? "ok  " : "FAIL", what, value);
  failures += passed ? 0 : 1;
}

bool can(int capability) { return (kv_capabilities() & capability) == capability; }

Floats noise(std::size_t count, unsigned seed, float spread = 1.0f) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal(0.0f, spread);
  Floats values(count);
  for (float& value : values) value = normal(generator);
  return values;
}

// Not a number stands for "as far off as can be".
double distance(const Doubles& expected, const float* actual) {
  double worst = 0.0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double here = std::fabs(expected[i] - static_cast<double>(actual[i]));
    if (!(here <= worst)) worst = std::isnan(here) ? 1e300 : here;
  }
  return worst;
}

struct Heads {
  std::size_t query;
  std::size_t kv;
  std::size_t size;
};

// The definition: out = softmax(q K^T / sqrt(d)) V over all rows of k and v, [token][kv][size].
Doubles attention(const Heads& heads, const Doubles& q, const Doubles& k, const Doubles& v) {
  const std::size_t width = heads.kv * heads.size;
  const std::size_t tokens = k.size() / width;
  Doubles out(heads.query * heads.size, 0.0);
  for (std::size_t h = 0; h < heads.query; ++h) {
    const std::size_t column = h / (heads.query / heads.kv) * heads.size;
    Doubles scores(tokens, 0.0);
    for (std::size_t j = 0; j < tokens; ++j) {
      for (std::size_t i = 0; i < heads.size; ++i) {
        scores[j] += q[h * heads.size + i] * k[j * width + column + i];
      }
      scores[j] /= std::sqrt(static_cast<double>(heads.size));
    }
    const double largest = tokens == 0 ? 0.0 : *std::max_element(scores.begin(), scores.end());
    double sum = 0.0;
    for (double& score : scores) sum += score = std::exp(score - largest);
    for (std::size_t j = 0; j < tokens; ++j) {
      for (std::size_t i = 0; i < heads.size; ++i) {
        out[h * heads.size + i] += scores[j] / sum * v[j * width + column + i];
      }
    }
  }
  return out;
}

// A cache, and what was handed to it: k and v of each layer and sequence.
class Session {
 public:
  explicit Session(const kv_config& config)
      : config_(config),
        heads_{static_cast<std::size_t>(config.query_heads),
               static_cast<std::size_t>(config.kv_heads),
               static_cast<std::size_t>(config.head_size)},
        kept_(static_cast<std::size_t>(config.layers * config.batch)),
        status_(kv_create(&config, &cache_)) {}
  ~Session() {
    if (status_ == KV_OK) kv_destroy(cache_);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  bool ready() const { return status_ == KV_OK; }
  kv_cache* cache() const { return cache_; }
  std::size_t kv_width() const { return heads_.kv * heads_.size; }
  std::size_t query_width() const { return heads_.query * heads_.size; }
  int status() const { return last_; }

  std::size_t length(int layer, int sequence) const {
    std::size_t tokens = std::numeric_limits<std::size_t>::max();
    kv_length(cache_, layer, sequence, &tokens);
    return tokens;
  }
  kv_usage usage() const {
    kv_usage usage = {};
    kv_get_usage(cache_, &usage);
    return usage;
  }

  // Stores `tokens` and returns how far the worst output is off; 1e300 when the call fails.
  double prefill(int layer, int sequence, std::size_t tokens, unsigned seed, float spread = 1.0f) {
    const Floats q = noise(tokens * query_width(), seed, spread);
    const Floats k = noise(tokens * kv_width(), seed + 1, spread);
    const Floats v = noise(tokens * kv_width(), seed + 2, spread);
    outputs_.assign(tokens * query_width(), NAN);
    last_ =
        kv_prefill(cache_, layer, sequence, tokens, q.data(), k.data(), v.data(), outputs_.data());
    if (last_ != KV_OK) return 1e300;
    const std::size_t before = kept(layer, sequence).k.size() / kv_width();
    keep(layer, sequence, k.data(), v.data(), tokens);
    double worst = 0.0;
    for (std::size_t i = 0; i < tokens; ++i) {
      const Doubles right = expected(layer, sequence, before + i + 1, &q[i * query_width()]);
      worst = std::max(worst, distance(right, &outputs_[i * query_width()]));
    }
    return worst;
  }

  int append(int layer, const std::vector<int32_t>& sequences, unsigned seed, float spread = 1.0f) {
    const Floats k = noise(sequences.size() * kv_width(), seed, spread);
    const Floats v = noise(sequences.size() * kv_width(), seed + 1, spread);
    last_ = kv_append(cache_, layer, sequences.size(), sequences.data(), k.data(), v.data());
    for (std::size_t i = 0; last_ == KV_OK && i < sequences.size(); ++i) {
      keep(layer, sequences[i], &k[i * kv_width()], &v[i * kv_width()], 1);
    }
    return last_;
  }

  double attend(int layer, const std::vector<int32_t>& sequences, unsigned seed,
                float spread = 1.0f) {
    const Floats q = noise(sequences.size() * query_width(), seed, spread);
    outputs_.assign(q.size(), NAN);
    last_ = kv_attend(cache_, layer, sequences.size(), sequences.data(), q.data(), outputs_.data());
    if (last_ != KV_OK) return 1e300;
    double worst = 0.0;
    for (std::size_t i = 0; i < sequences.size(); ++i) {
      const std::size_t tokens = kept(layer, sequences[i]).k.size() / kv_width();
      const Doubles right = expected(layer, sequences[i], tokens, &q[i * query_width()]);
      worst = std::max(worst, distance(right, &outputs_[i * query_width()]));
    }
    return worst;
  }

  // Replaces what was kept by what the cache says it holds; the largest change, in units of
  // `allowed` for each row. 1e300 when it cannot be read.
  double read_back(int layer, int sequence, double largest_code) {
    Kept& rows = kept(layer, sequence);
    Floats k(rows.k.size(), NAN);
    Floats v(rows.v.size(), NAN);
    if (kv_read(cache_, layer, sequence, 0, k.size() / kv_width(), k.data(), v.data()) != KV_OK) {
      return 1e300;
    }
    const double worst =
        std::max(worst_rounding(rows.k, k, largest_code), worst_rounding(rows.v, v, largest_code));
    rows.k.assign(k.begin(), k.end());
    rows.v.assign(v.begin(), v.end());
    return worst;
  }

  int free(int sequence) {
    for (int layer = 0; layer < config_.layers; ++layer) kept(layer, sequence) = Kept{};
    return kv_free(cache_, sequence);
  }

  const Floats& outputs() const { return outputs_; }

 private:
  struct Kept {
    Doubles k, v;
  };

  Kept& kept(int layer, int sequence) {
    return kept_[static_cast<std::size_t>(layer * config_.batch + sequence)];
  }
  void keep(int layer, int sequence, const float* k, const float* v, std::size_t tokens) {
    Kept& rows = kept(layer, sequence);
    rows.k.insert(rows.k.end(), k, k + tokens * kv_width());
    rows.v.insert(rows.v.end(), v, v + tokens * kv_width());
  }
  Doubles expected(int layer, int sequence, std::size_t tokens, const float* q) {
    const Kept& rows = kept(layer, sequence);
    const auto end = static_cast<std::ptrdiff_t>(tokens * kv_width());
    return attention(heads_, Doubles(q, q + query_width()),
                     Doubles(rows.k.begin(), rows.k.begin() + end),
                     Doubles(rows.v.begin(), rows.v.begin() + end));
  }
  // In halves of a step, which is the largest of the row over the largest code.
  double worst_rounding(const Doubles& exact, const Floats& stored, double largest_code) const {
    double worst = 0.0;
    for (std::size_t row = 0; row < exact.size(); row += heads_.size) {
      double largest = 0.0;
      double error = 0.0;
      for (std::size_t i = row; i < row + heads_.size; ++i) {
        largest = std::max(largest, std::fabs(exact[i]));
        const double here = std::fabs(exact[i] - static_cast<double>(stored[i]));
        if (!(here <= error)) error = here;
      }
      const double ratio = error == 0.0 ? 0.0 : error / (0.5 * largest / largest_code);
      if (!(ratio <= worst)) worst = std::isnan(ratio) ? 1e300 : ratio;
    }
    return worst;
  }

  kv_config config_;
  Heads heads_;
  std::vector<Kept> kept_;
  Floats outputs_;
  kv_cache* cache_ = nullptr;
  int status_;
  int last_ = KV_OK;
};

kv_config plain(int layers, int heads, int head_size, int batch, int capacity) {
  return {layers, heads, heads, head_size, batch, capacity, KV_F32, 0, 0, 0};
}

kv_config paged(kv_config config, int page_size, int pages) {
  config.page_size = page_size;
  config.pages = pages;
  return config;
}

void demo_cached_against_uncached() {
  Session session(plain(3, 4, 80, 1, 96));
  double worst = 0.0;
  for (int layer = 0; layer < 3; ++layer) {
    worst = std::max(worst, session.prefill(layer, 0, 33u + static_cast<unsigned>(layer), 10));
  }
  check(worst < kCachedTolerance, "prefill equals uncached attention", worst);
  worst = 0.0;
  for (unsigned step = 0; step < 20; ++step) {
    for (int layer = 0; layer < 3; ++layer) {
      session.append(layer, {0}, 100 + 10 * step + static_cast<unsigned>(layer));
      worst = std::max(worst, session.attend(layer, {0}, 500 + step));
    }
  }
  check(worst < kCachedTolerance, "20 decoding steps equal uncached attention", worst);
  check(session.read_back(1, 0, 1.0) == 0.0, "floats are stored as they are");
}

// Scores far beyond what exp can take, one of them the largest by a wide margin.
void demo_large_scores() {
  Session session(plain(1, 2, 64, 1, 64));
  check(session.prefill(0, 0, 24, 20, 12.0f) < 1e-3, "scores of a thousand do not overflow");
  session.append(0, {0, 0, 0}, 30, 12.0f);
  check(session.attend(0, {0}, 31, 12.0f) < 1e-3, "nor do they in decoding");
}

void demo_variable_lengths() {
  Session session(plain(2, 4, 64, 5, 80));
  const std::size_t lengths[4] = {7, 64, 1, 31};
  double worst = 0.0;
  for (int s = 0; s < 4; ++s) {
    for (int layer = 0; layer < 2; ++layer) {
      worst = std::max(worst, session.prefill(layer, s, lengths[s],
                                              40u + static_cast<unsigned>(10 * s + layer)));
    }
  }
  check(worst < kCachedTolerance, "four prompts of 7, 64, 1 and 31 tokens", worst);
  for (int layer = 0; layer < 2; ++layer) {
    session.append(layer, {3, 0, 3, 2}, 90u + static_cast<unsigned>(layer));
    worst = session.attend(layer, {2, 4, 0, 3, 1, 3}, 95);
    check(worst < kCachedTolerance, "one batch of all, in any order, one of them empty", worst);
  }
  check(session.length(0, 3) == 33 && session.length(1, 0) == 8 && session.length(1, 4) == 0,
        "each sequence has a length of its own");
}

// Pages of 16: sequences grow in turns, so that no two pages of one lie side by side.
void demo_paged() {
  if (!can(KV_CAN_PAGED)) return;
  Session session(paged(plain(2, 2, 64, 3, 128), 16, 8));
  for (unsigned step = 0; step < 17; ++step) {
    for (int layer = 0; layer < 2; ++layer) session.append(layer, {0, 2}, 200 + 3 * step);
  }
  double worst = std::max(session.attend(0, {0, 1, 2}, 260), session.attend(1, {2, 0}, 261));
  check(worst < kCachedTolerance, "attention over scattered pages", worst);
  const std::uint64_t token_bytes = 2 * 2 * 2 * 64 * 4;
  kv_usage usage = session.usage();
  check(usage.pages_in_use == 4 && usage.pages_free == 4 && usage.bytes == 4 * 16 * token_bytes,
        "a page serves all layers; usage counts whole pages");
  check(session.prefill(0, 1, 65, 270) == 1e300 && session.status() == KV_NO_PAGES &&
            session.length(0, 1) == 0 && session.usage().pages_free == 4,
        "an empty pool is reported, and nothing changes");
  check(session.prefill(0, 1, 64, 271) < kCachedTolerance, "the last four pages");
  // Both are in the middle of a page, and the second needs one more only after 15 tokens.
  std::vector<int32_t> both(15, 0);
  both.push_back(2);
  check(session.append(0, both, 280) == KV_OK, "free slots of held pages need no page");
  both.assign(16, 2);
  check(session.append(0, both, 281) == KV_NO_PAGES && session.length(0, 2) == 18,
        "all tokens of a call are stored, or none");
  session.free(0);
  usage = session.usage();
  check(usage.pages_free == 2 && usage.pages_in_use == 6, "freed pages are free again");
  session.append(0, both, 282);
  worst = std::max(session.prefill(1, 0, 5, 283), session.prefill(0, 0, 9, 284));
  worst = std::max({worst, session.attend(0, {0, 1, 2}, 285), session.attend(1, {0, 2}, 286)});
  check(worst < kCachedTolerance, "and hold new tokens, of different numbers in each layer", worst);
}

void demo_int8() {
  if (!can(KV_CAN_INT8)) return;
  kv_config config = plain(1, 3, 72, 2, 64);
  config.storage = KV_INT8;
  Session session(config);
  const double error = session.prefill(0, 1, 40, 300, 2.0f);
  check(error < 0.3, "the error of INT8 is bounded", error);
  const double rounding = session.read_back(0, 1, 127.0);
  check(rounding < 1.001, "no value is off by more than half a step of its row", rounding);
  const double worst = session.attend(0, {1}, 310, 2.0f);
  check(worst < kCachedTolerance, "attention is exact over what is stored", worst);
  check(session.usage().bytes == 40 * 3 * 2 * (72 + 4), "bytes, with the scales");
  const Floats zeros(session.kv_width(), 0.0f);
  const int32_t first = 0;
  Floats out(session.kv_width(), NAN);
  kv_append(session.cache(), 0, 1, &first, zeros.data(), zeros.data());
  kv_attend(session.cache(), 0, 1, &first, noise(session.query_width(), 311).data(), out.data());
  check(out == zeros, "a row of zeros stays one");
}

// `chunks` one after the other, against all of them in one call.
void compare_chunks(const kv_config& config, std::initializer_list<std::size_t> chunks) {
  Session session(config);
  Session once(config);
  std::size_t total = 0;
  for (const std::size_t chunk : chunks) total += chunk;
  const Floats q = noise(total * once.query_width(), 400);
  const Floats k = noise(total * once.kv_width(), 401);
  const Floats v = noise(total * once.kv_width(), 402);
  Floats whole(q.size(), NAN);
  Floats parts(q.size(), NAN);
  bool ran =
      kv_prefill(once.cache(), 0, 0, total, q.data(), k.data(), v.data(), whole.data()) == KV_OK;
  std::size_t done = 0;
  for (const std::size_t chunk : chunks) {
    const std::size_t at = done * session.query_width();
    const std::size_t kv_at = done * session.kv_width();
    const int status =
        kv_prefill(session.cache(), 0, 0, chunk, &q[at], &k[kv_at], &v[kv_at], &parts[at]);
    if (status == KV_UNSUPPORTED && done > 0) return;
    ran = ran && status == KV_OK;
    done += chunk;
  }
  const double worst = ran ? distance(Doubles(whole.begin(), whole.end()), parts.data()) : 1e300;
  check(worst < kChunkTolerance, "a prefill in chunks equals the whole", worst);
}

void demo_chunked_prefill() {
  if (!can(KV_CAN_CHUNKED)) return;
  compare_chunks(plain(1, 4, 64, 1, 128), {32, 32, 32});
  compare_chunks(plain(1, 4, 64, 1, 128), {1, 17, 40, 3});
  Session session(plain(1, 2, 32, 1, 128));
  const double worst = std::max(session.prefill(0, 0, 16, 410), session.prefill(0, 0, 50, 420));
  check(worst == 1e300 || worst < kCachedTolerance, "and equals uncached attention", worst);
}

void demo_grouped_queries() {
  const int kv_heads[2] = {2, 1};
  const int capability[2] = {KV_CAN_GQA, KV_CAN_MQA};
  for (int i = 0; i < 2; ++i) {
    if (!can(capability[i])) continue;
    kv_config config = plain(1, 8, 64, 2, 64);
    config.kv_heads = kv_heads[i];
    Session session(config);
    double worst = std::max(session.prefill(0, 0, 30, 500), session.prefill(0, 1, 11, 510));
    session.append(0, {1, 0}, 520);
    worst = std::max(worst, session.attend(0, {0, 1}, 530));
    check(worst < kCachedTolerance, i == 0 ? "8 query heads on 2 KV heads" : "8 on 1", worst);
  }
}

void demo_hybrid() {
  if (!can(KV_CAN_HYBRID | KV_CAN_PAGED | KV_CAN_INT8)) return;
  kv_config config = paged(plain(2, 4, 64, 2, 64), 8, 16);
  config.storage = KV_INT8;
  if (can(KV_CAN_GQA)) config.kv_heads = 2;
  Session session(config);
  double worst = std::max(session.prefill(0, 0, 13, 600), session.prefill(0, 1, 21, 610));
  session.prefill(1, 1, 4, 615);
  session.append(0, {0, 1, 0}, 620);
  if (can(KV_CAN_CHUNKED)) worst = std::max(worst, session.prefill(0, 1, 12, 630));
  check(worst < 0.3, "paged, INT8 and chunked at once: bounded error", worst);
  const double rounding = std::max(session.read_back(0, 0, 127.0), session.read_back(0, 1, 127.0));
  check(rounding < 1.001, "every row in its page, within half a step", rounding);
  worst = session.attend(0, {1, 0}, 640);
  check(worst < kCachedTolerance, "attention is exact over what is stored", worst);
  if (can(KV_CAN_CHUNKED)) compare_chunks(config, {5, 8, 20});
}

void demo_lifecycle() {
  Session session(plain(2, 2, 16, 3, 20));
  Session other(plain(1, 2, 16, 1, 20));
  other.append(0, {0, 0}, 690);
  session.prefill(0, 0, 20, 700);
  session.prefill(0, 1, 18, 710);
  check(session.append(0, {1, 0}, 720) == KV_CAPACITY && session.length(0, 1) == 18,
        "a full sequence is reported, and none of the call is stored");
  check(session.append(0, {1, 1, 1}, 721) == KV_CAPACITY && session.length(0, 1) == 18,
        "also when it fills up within the call");
  check(session.append(0, {1, 1}, 722) == KV_OK, "up to its capacity it takes all");
  const double worst = session.attend(0, {0, 1}, 723);
  check(worst < kCachedTolerance, "what was there before is unharmed", worst);
  check(session.usage().bytes == 40 * 2 * 2 * 16 * 4, "bytes in use are those of the tokens");
  session.append(1, {0}, 730);
  session.free(0);
  check(session.length(0, 0) == 0 && session.length(1, 0) == 0 && session.length(0, 1) == 20,
        "freeing empties one sequence in all layers");
  const double reused = std::max(session.prefill(0, 0, 5, 740), session.attend(0, {0, 1, 2}, 750));
  check(reused < kCachedTolerance, "nothing of its old tokens is seen", reused);
  check(other.attend(0, {0}, 760) < kCachedTolerance, "another cache knows nothing of this one");
  Floats k(32), v(32);
  const kv_config uneven = {1, 3, 2, 8, 1, 8, KV_F32, 0, 0, 0};
  kv_cache* none = nullptr;
  check(session.append(2, {0}, 770) == KV_INVALID_ARGUMENT &&
            session.append(0, {0, 3}, 771) == KV_INVALID_ARGUMENT && session.length(0, 0) == 5 &&
            kv_read(session.cache(), 0, 0, 5, 1, k.data(), v.data()) == KV_INVALID_ARGUMENT &&
            kv_free(session.cache(), -1) == KV_INVALID_ARGUMENT &&
            kv_create(&uneven, &none) == KV_INVALID_ARGUMENT &&
            kv_free(nullptr, 0) == KV_INVALID_ARGUMENT,
        "wrong arguments are refused");
}

// The decoder of interface.h without a cache: every token's state is computed anew each time.
class PlainDecoder {
 public:
  PlainDecoder(const kv_decoder_config& config, const Floats& weights)
      : config_(config), weights_(weights) {}

  Doubles logits(const std::vector<int32_t>& tokens) {
    next_ = 0;
    const std::size_t width = size(config_.width);
    const std::size_t embedding = take(size(config_.vocabulary) * width);
    std::vector<Doubles> x;
    for (const int32_t token : tokens) {
      const auto row =
          weights_.begin() + static_cast<std::ptrdiff_t>(embedding + size(token) * width);
      x.emplace_back(row, row + config_.width);
    }
    for (int layer = 0; layer < config_.layers; ++layer) {
      attention_layer(x);
      if (config_.mlp_width > 0) mlp_layer(x);
    }
    const Doubles h = norm(x.back(), take(width));
    return multiply(take(size(config_.vocabulary) * width), size(config_.vocabulary), h);
  }

 private:
  static std::size_t size(int32_t n) { return static_cast<std::size_t>(n); }

  std::size_t take(std::size_t count) {
    next_ += count;
    return next_ - count;
  }

  Doubles norm(const Doubles& x, std::size_t gain) const {
    double mean = 0.0;
    for (const double value : x) mean += value * value / static_cast<double>(x.size());
    Doubles y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      y[i] = weights_[gain + i] * x[i] / std::sqrt(mean + config_.norm_eps);
    }
    return y;
  }

  Doubles multiply(std::size_t matrix, std::size_t rows, const Doubles& x) const {
    Doubles y(rows, 0.0);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < x.size(); ++j) y[i] += weights_[matrix + i * x.size() + j] * x[j];
    }
    return y;
  }

  Doubles rotated(Doubles heads, std::size_t position) const {
    const std::size_t d = size(config_.head_size);
    for (std::size_t at = 0; config_.rope_base > 0.0f && at < heads.size(); at += d) {
      for (std::size_t i = 0; i < d / 2; ++i) {
        const double exponent = -2.0 * static_cast<double>(i) / static_cast<double>(d);
        const double a = static_cast<double>(position) * std::pow(config_.rope_base, exponent);
        const double first = heads[at + i];
        const double second = heads[at + i + d / 2];
        heads[at + i] = first * std::cos(a) - second * std::sin(a);
        heads[at + i + d / 2] = first * std::sin(a) + second * std::cos(a);
      }
    }
    return heads;
  }

  void attention_layer(std::vector<Doubles>& x) {
    const std::size_t width = size(config_.width);
    const Heads heads{size(config_.query_heads), size(config_.kv_heads), size(config_.head_size)};
    const std::size_t gain = take(width);
    const std::size_t wq = take(heads.query * heads.size * width);
    const std::size_t wk = take(heads.kv * heads.size * width);
    const std::size_t wv = take(heads.kv * heads.size * width);
    const std::size_t wo = take(width * heads.query * heads.size);
    Doubles k;
    Doubles v;
    for (std::size_t p = 0; p < x.size(); ++p) {
      const Doubles h = norm(x[p], gain);
      const Doubles key = rotated(multiply(wk, heads.kv * heads.size, h), p);
      const Doubles value = multiply(wv, heads.kv * heads.size, h);
      k.insert(k.end(), key.begin(), key.end());
      v.insert(v.end(), value.begin(), value.end());
      const Doubles q = rotated(multiply(wq, heads.query * heads.size, h), p);
      add(x[p], multiply(wo, width, attention(heads, q, k, v)));
    }
  }

  void mlp_layer(std::vector<Doubles>& x) {
    const std::size_t width = size(config_.width);
    const std::size_t mlp = size(config_.mlp_width);
    const std::size_t gain = take(width);
    const std::size_t wgate = take(mlp * width);
    const std::size_t wup = take(mlp * width);
    const std::size_t wdown = take(width * mlp);
    for (Doubles& token : x) {
      const Doubles h = norm(token, gain);
      Doubles gate = multiply(wgate, mlp, h);
      const Doubles up = multiply(wup, mlp, h);
      for (std::size_t i = 0; i < mlp; ++i) gate[i] *= up[i] / (1.0 + std::exp(-gate[i]));
      add(token, multiply(wdown, width, gate));
    }
  }

  static void add(Doubles& x, const Doubles& y) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += y[i];
  }

  kv_decoder_config config_;
  Floats weights_;
  std::size_t next_ = 0;
};

void run_decoder(const kv_decoder_config& config, std::size_t weight_count) {
  const Floats weights = noise(weight_count, 800, 0.25f);
  kv_decoder* decoder = nullptr;
  const int created = kv_decoder_create(&config, weights.data(), weight_count, &decoder);
  if (created == KV_UNSUPPORTED) return;
  check(created == KV_OK, "a decoder is made");
  if (created != KV_OK) return;
  PlainDecoder plain_decoder(config, weights);
  std::vector<int32_t> tokens = {3, 14, 15, 9, 2};
  Floats logits(static_cast<std::size_t>(config.vocabulary), NAN);
  kv_decoder_prefill(decoder, tokens.size(), tokens.data(), logits.data());
  double worst = distance(plain_decoder.logits(tokens), logits.data());
  check(worst < 1e-4, "logits of the prompt", worst);
  worst = 0.0;
  for (const int32_t token : {6, 5, 3, 5}) {
    tokens.push_back(token);
    kv_decoder_step(decoder, token, logits.data());
    worst = std::max(worst, distance(plain_decoder.logits(tokens), logits.data()));
  }
  check(worst < 1e-4, "logits of four steps, each against a decoder without cache", worst);
  const int32_t more[2] = {1, 1};
  kv_decoder_prefill(decoder, 2, more, logits.data());
  tokens.insert(tokens.end(), more, more + 2);
  worst = distance(plain_decoder.logits(tokens), logits.data());
  check(worst < 1e-4, "logits of two more tokens at once", worst);
  check(kv_decoder_prefill(decoder, 2, more, logits.data()) == KV_CAPACITY, "it can be full");
  kv_decoder_reset(decoder);
  kv_decoder_step(decoder, 7, logits.data());
  worst = distance(plain_decoder.logits({7}), logits.data());
  check(worst < 1e-4, "logits after a reset", worst);
  kv_decoder_destroy(decoder);
}

void demo_decoder() {
  const std::size_t shared = 2 * 17 * 24 + 24;
  run_decoder({2, 24, 4, 4, 8, 0, 17, 12, 0, 0.0f, 1e-5f}, shared + 2 * (24 + 4 * 24 * 32));
  run_decoder({2, 24, 4, 2, 8, 40, 17, 12, 0, 10000.0f, 1e-5f},
              shared + 2 * (24 + 2 * 24 * 32 + 2 * 24 * 16 + 24 + 3 * 24 * 40));
}

int32_t sampled(const Floats& logits, float temperature, int32_t top_k, float uniform) {
  int32_t token = -1;
  kv_sample(static_cast<int32_t>(logits.size()), logits.data(), temperature, top_k, uniform,
            &token);
  return token;
}

void demo_sampling() {
  const auto log_of = [](double p) { return static_cast<float>(std::log(p)); };
  const Floats logits = {log_of(0.1), log_of(0.4), log_of(0.2), log_of(0.3)};
  check(sampled(logits, 0.0f, 0, 0.9f) == 1 && sampled({1, 2, 2}, 0.0f, 0, 0.5f) == 1,
        "temperature 0: the most likely, of equal ones the first");
  check(sampled(logits, 1.0f, 0, 0.39f) == 1 && sampled(logits, 1.0f, 0, 0.41f) == 3 &&
            sampled(logits, 1.0f, 0, 0.71f) == 2 && sampled(logits, 1.0f, 0, 0.95f) == 0,
        "cumulative probabilities in descending order");
  check(sampled(logits, 1.0f, 2, 0.56f) == 1 && sampled(logits, 1.0f, 2, 0.99f) == 3,
        "top 2 share all the probability");
  check(sampled(logits, 0.5f, 0, 0.52f) == 1 && sampled(logits, 2.0f, 0, 0.34f) == 3,
        "temperature sharpens and flattens");
  check(sampled({5, 5, 5}, 1.0f, 2, 0.6f) == 1, "equal logits: lower index first");
  check(sampled({900, 1000, 0}, 1.0f, 0, 0.5f) == 1, "large logits do not overflow");
  int32_t token = 0;
  check(kv_sample(4, logits.data(), -1.0f, 0, 0.5f, &token) == KV_INVALID_ARGUMENT &&
            kv_sample(4, logits.data(), 1.0f, 0, 1.0f, &token) == KV_INVALID_ARGUMENT,
        "wrong arguments are refused");
}

}  // namespace

int main() {
  const struct {
    const char* name;
    void (*run)();
  } demos[10] = {{"cached against uncached attention", demo_cached_against_uncached},
                 {"large scores", demo_large_scores},
                 {"variable-length batching", demo_variable_lengths},
                 {"paged attention", demo_paged},
                 {"INT8 quantisation", demo_int8},
                 {"chunked prefill", demo_chunked_prefill},
                 {"grouped-query and multi-query attention", demo_grouped_queries},
                 {"hybrid: paged, INT8, chunked", demo_hybrid},
                 {"lifecycle: capacity, reuse, errors", demo_lifecycle},
                 {"transformer decoder and sampling", [] {
                    demo_decoder();
                    demo_sampling();
                  }}};
  for (const auto& demo : demos) {
    std::printf("%s\n", demo.name);
    demo.run();
  }
  std::printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
