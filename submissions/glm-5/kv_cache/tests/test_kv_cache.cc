// 8 tests of the KV cache. Everything is compared with attention computed in double from the keys
// and values that were handed in, which knows of no cache. Exit status 0: all pass.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#include "interface.h"

namespace {

constexpr double kTolerance = 1e-5;
constexpr int kHeads = 4;
constexpr int kHeadSize = 64;
constexpr std::size_t kWidth = kHeads * kHeadSize;

using Floats = std::vector<float>;

Floats random_floats(std::size_t count, unsigned seed, float spread = 1.0f) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal(0.0f, spread);
  Floats values(count);
  for (float& value : values) value = normal(generator);
  return values;
}

// One sequence as it was handed in: [token][head][head_size].
struct Sequence {
  Floats k, v;

  void add(const Floats& keys, const Floats& values) {
    k.insert(k.end(), keys.begin(), keys.end());
    v.insert(v.end(), values.begin(), values.end());
  }
  std::size_t length() const { return k.size() / kWidth; }
};

// softmax(q k^T / sqrt(d)) v over the first `tokens` tokens.
std::vector<double> attention(const Sequence& sequence, std::size_t tokens, const float* q) {
  std::vector<double> out(kWidth, 0.0);
  for (int head = 0; head < kHeads; ++head) {
    std::vector<double> scores(tokens);
    double largest = -1e300;
    for (std::size_t j = 0; j < tokens; ++j) {
      double sum = 0.0;
      for (int i = 0; i < kHeadSize; ++i) {
        const std::size_t at = j * kWidth + static_cast<std::size_t>(head * kHeadSize + i);
        sum += static_cast<double>(q[head * kHeadSize + i]) * sequence.k[at];
      }
      scores[j] = sum / std::sqrt(static_cast<double>(kHeadSize));
      largest = std::max(largest, scores[j]);
    }
    double total = 0.0;
    for (double& score : scores) {
      score = std::exp(score - largest);
      total += score;
    }
    for (std::size_t j = 0; j < tokens; ++j) {
      for (int i = 0; i < kHeadSize; ++i) {
        const std::size_t column = static_cast<std::size_t>(head * kHeadSize + i);
        out[column] += scores[j] / total * sequence.v[j * kWidth + column];
      }
    }
  }
  return out;
}

// NaN counts as the largest difference there is.
double difference(const std::vector<double>& expected, const float* actual) {
  double worst = 0.0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double here = std::fabs(expected[i] - actual[i]);
    worst = here <= worst ? worst : here;
    if (std::isnan(here)) return 1e300;
  }
  return worst;
}

struct Cache {
  kv_cache* handle = nullptr;
  int status;

  explicit Cache(kv_config config) : status(kv_create(&config, &handle)) {}
  ~Cache() {
    if (status == KV_OK) kv_destroy(handle);
  }
  Cache(const Cache&) = delete;
  Cache& operator=(const Cache&) = delete;
};

kv_config plain(int batch, int capacity) {
  return {1, kHeads, kHeads, kHeadSize, batch, capacity, KV_F32, 0, 0, 0};
}

bool can(int capability) { return (kv_capabilities() & capability) != 0; }

// Prefills `prompt` tokens and decodes `steps` more; the worst difference of any output.
double generate(const Cache& cache, int sequence, std::size_t prompt, std::size_t steps,
                unsigned seed, Sequence* whole) {
  double worst = 0.0;
  const Floats q = random_floats((prompt + steps) * kWidth, seed);
  Floats k = random_floats(prompt * kWidth, seed + 1);
  Floats v = random_floats(prompt * kWidth, seed + 2);
  Floats out(prompt * kWidth, NAN);
  whole->add(k, v);
  if (kv_prefill(cache.handle, 0, sequence, prompt, q.data(), k.data(), v.data(), out.data()) !=
      KV_OK) {
    return 1e300;
  }
  for (std::size_t i = 0; i < prompt; ++i) {
    worst = std::max(worst, difference(attention(*whole, i + 1, &q[i * kWidth]), &out[i * kWidth]));
  }
  Floats one(kWidth, NAN);
  for (std::size_t i = 0; i < steps; ++i) {
    const float* query = &q[(prompt + i) * kWidth];
    k = random_floats(kWidth, seed + 100 + static_cast<unsigned>(i));
    v = random_floats(kWidth, seed + 500 + static_cast<unsigned>(i));
    whole->add(k, v);
    if (kv_append(cache.handle, 0, 1, &sequence, k.data(), v.data()) != KV_OK ||
        kv_attend(cache.handle, 0, 1, &sequence, query, one.data()) != KV_OK) {
      return 1e300;
    }
    worst = std::max(worst, difference(attention(*whole, whole->length(), query), one.data()));
  }
  return worst;
}

// 1. Cached decoding gives what attention over everything gives.
double cached_equals_uncached() {
  Cache cache(plain(1, 48));
  Sequence whole;
  return cache.status == KV_OK ? generate(cache, 0, 24, 12, 1, &whole) : 1e300;
}

// 2. Three sequences of different lengths, attended in one call.
double variable_lengths() {
  Cache cache(plain(3, 64));
  if (cache.status != KV_OK) return 1e300;
  const std::size_t prompts[3] = {5, 40, 17};
  Sequence whole[3];
  double worst = 0.0;
  for (int s = 0; s < 3; ++s) {
    worst = std::max(worst,
                     generate(cache, s, prompts[s], 2, 10u + static_cast<unsigned>(s), &whole[s]));
  }
  const int32_t order[3] = {2, 0, 1};
  const Floats q = random_floats(3 * kWidth, 20);
  Floats out(3 * kWidth, NAN);
  if (kv_attend(cache.handle, 0, 3, order, q.data(), out.data()) != KV_OK) return 1e300;
  for (std::size_t i = 0; i < 3; ++i) {
    const Sequence& sequence = whole[order[i]];
    worst = std::max(worst, difference(attention(sequence, sequence.length(), &q[i * kWidth]),
                                       &out[i * kWidth]));
  }
  return worst;
}

// 3. Blocks of 16 tokens, filled in turns so that each sequence's are scattered.
double paged_equals_plain() {
  if (!can(KV_CAN_PAGED)) return 0.0;
  kv_config config = plain(2, 64);
  config.page_size = 16;
  config.pages = 8;
  Cache cache(config);
  if (cache.status != KV_OK) return 1e300;
  Sequence whole[2];
  const int32_t both[2] = {0, 1};
  for (unsigned i = 0; i < 37; ++i) {
    const Floats k = random_floats(2 * kWidth, 30 + i);
    const Floats v = random_floats(2 * kWidth, 90 + i);
    if (kv_append(cache.handle, 0, 2, both, k.data(), v.data()) != KV_OK) return 1e300;
    for (std::size_t s = 0; s < 2; ++s) {
      const auto at = static_cast<std::ptrdiff_t>(s * kWidth);
      const auto end = static_cast<std::ptrdiff_t>((s + 1) * kWidth);
      whole[s].add({k.begin() + at, k.begin() + end}, {v.begin() + at, v.begin() + end});
    }
  }
  const Floats q = random_floats(2 * kWidth, 150);
  Floats out(2 * kWidth, NAN);
  if (kv_attend(cache.handle, 0, 2, both, q.data(), out.data()) != KV_OK) return 1e300;
  return std::max(difference(attention(whole[0], 37, q.data()), out.data()),
                  difference(attention(whole[1], 37, &q[kWidth]), &out[kWidth]));
}

// 4. The free list: an empty pool says so and changes nothing, freed blocks come back.
double free_list() {
  if (!can(KV_CAN_PAGED)) return 0.0;
  kv_config config = plain(2, 64);
  config.page_size = 16;
  config.pages = 3;
  Cache cache(config);
  Sequence first, second;
  if (cache.status != KV_OK || generate(cache, 0, 30, 0, 160, &first) > kTolerance) return 1e300;
  const Floats x = random_floats(30 * kWidth, 170);
  Floats out(30 * kWidth);
  size_t stored = 99;
  kv_usage usage = {};
  if (kv_prefill(cache.handle, 0, 1, 30, x.data(), x.data(), x.data(), out.data()) != KV_NO_PAGES ||
      kv_length(cache.handle, 0, 1, &stored) != KV_OK || stored != 0 ||
      kv_get_usage(cache.handle, &usage) != KV_OK || usage.pages_in_use != 2 ||
      usage.pages_free != 1 || kv_free(cache.handle, 0) != KV_OK ||
      kv_get_usage(cache.handle, &usage) != KV_OK || usage.pages_free != 3) {
    return 1e300;
  }
  return generate(cache, 1, 40, 3, 180, &second);
}

// The error of a quantised cache, as a multiple of the most that half a step of every stored value
// could make of it.
double quantised_error(int storage, double steps) {
  kv_config config = plain(1, 64);
  config.storage = storage;
  Cache cache(config);
  if (cache.status != KV_OK) return 1e300;
  Sequence whole;
  const double error = generate(cache, 0, 40, 8, 200, &whole);
  const Floats& k = whole.k;
  const Floats& v = whole.v;
  Floats stored_k(k.size(), NAN), stored_v(v.size(), NAN);
  if (kv_read(cache.handle, 0, 0, 0, whole.length(), stored_k.data(), stored_v.data()) != KV_OK) {
    return 1e300;
  }
  double largest = 0.0;
  for (float value : v) largest = std::max(largest, std::fabs(static_cast<double>(value)));
  for (float value : k) largest = std::max(largest, std::fabs(static_cast<double>(value)));
  const double half_step = 0.5001 * largest / steps;
  for (std::size_t i = 0; i < k.size(); ++i) {
    if (!(std::fabs(k[i] - stored_k[i]) <= half_step)) return 1e300;
    if (!(std::fabs(v[i] - stored_v[i]) <= half_step)) return 1e300;
  }
  // A score moves by about half_step * |q| / sqrt(d), which is near half_step; a value by
  // half_step.
  return error / (half_step * (1.0 + 4.0 * largest)) * kTolerance;
}

// 5. and 6. Quantisation has a bounded error.
double int8_error() { return can(KV_CAN_INT8) ? quantised_error(KV_INT8, 127.0) : 0.0; }
double int4_error() { return can(KV_CAN_INT4) ? quantised_error(KV_INT4, 7.0) : 0.0; }

// 7. A prompt in two chunks, with random queries, gives what the whole prompt gives.
double chunked_equals_whole() {
  if (!can(KV_CAN_CHUNKED)) return 0.0;
  constexpr std::size_t kTokens = 48;
  constexpr std::size_t kFirst = 32;
  const Floats q = random_floats(kTokens * kWidth, 300);
  const Floats k = random_floats(kTokens * kWidth, 301);
  const Floats v = random_floats(kTokens * kWidth, 302);
  Cache one(plain(1, kTokens)), two(plain(1, kTokens));
  Floats whole(kTokens * kWidth, NAN), chunks(kTokens * kWidth, NAN);
  const std::size_t at = kFirst * kWidth;
  if (one.status != KV_OK || two.status != KV_OK ||
      kv_prefill(one.handle, 0, 0, kTokens, q.data(), k.data(), v.data(), whole.data()) != KV_OK ||
      kv_prefill(two.handle, 0, 0, kFirst, q.data(), k.data(), v.data(), chunks.data()) != KV_OK) {
    return 1e300;
  }
  const int second =
      kv_prefill(two.handle, 0, 0, kTokens - kFirst, &q[at], &k[at], &v[at], &chunks[at]);
  if (second == KV_UNSUPPORTED) return 0.0;
  if (second != KV_OK) return 1e300;
  return difference(std::vector<double>(whole.begin(), whole.end()), chunks.data());
}

// 8. The decoder: a prompt at once gives the logits of its tokens one by one, and again after a
// reset.
double decoder_steps_equal_prompt() {
  const kv_decoder_config config = {2, 32, 2, 2, 16, 0, 11, 12, 0, 0.0f, 1e-5f};
  const std::size_t layer = 32 + 4 * 32 * 32;
  const Floats weights = random_floats(2 * 11 * 32 + 32 + 2 * layer, 400, 0.2f);
  kv_decoder* decoder = nullptr;
  const int created = kv_decoder_create(&config, weights.data(), weights.size(), &decoder);
  if (created == KV_UNSUPPORTED) return 0.0;
  if (created != KV_OK) return 1e300;
  const int32_t tokens[6] = {3, 1, 4, 1, 5, 9};
  Floats at_once(11, NAN), stepwise(11, NAN);
  bool ran = kv_decoder_prefill(decoder, 6, tokens, at_once.data()) == KV_OK &&
             kv_decoder_reset(decoder) == KV_OK;
  for (int32_t token : tokens) {
    ran = ran && kv_decoder_step(decoder, token, stepwise.data()) == KV_OK;
  }
  kv_decoder_destroy(decoder);
  if (!ran) return 1e300;
  return difference(std::vector<double>(at_once.begin(), at_once.end()), stepwise.data());
}

}  // namespace

int main() {
  const struct {
    const char* name;
    double (*run)();
  } tests[8] = {{"cached attention equals uncached", cached_equals_uncached},
                {"three sequences of different lengths", variable_lengths},
                {"paged attention equals plain", paged_equals_plain},
                {"block pool and free list", free_list},
                {"INT8 error is bounded", int8_error},
                {"INT4 error is bounded", int4_error},
                {"chunked prefill equals whole", chunked_equals_whole},
                {"decoder: prompt equals single steps", decoder_steps_equal_prompt}};
  int failures = 0;
  for (const auto& test : tests) {
    const double worst = test.run();
    const bool passed = worst < kTolerance;
    failures += passed ? 0 : 1;
    std::printf("%s  %-40s %.3g\n", passed ? "PASS" : "FAIL", test.name, worst);
  }
  std::printf("%d of 8 passed\n", 8 - failures);
  return failures == 0 ? 0 : 1;
}
