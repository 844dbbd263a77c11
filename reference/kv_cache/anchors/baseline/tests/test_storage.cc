// SPDX-License-Identifier: Apache-2.0
// What a cache keeps, to the last bit and wherever it lies: storage, pages, forks, memory that is
// used again or given back, and that a call which is refused leaves it so. Beside the tests of a
// submission, those that the hundred of the scale is graded with. Exit status 0: every check
// passed.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "checked_cache.h"
#include "interface.h"

namespace {

using checked::Cache;
using checked::Check;
using checked::Contiguous;
using checked::Floats;
using checked::Paged;
using checked::Tokens;

kv_config Stored(int32_t storage, int32_t head_size) {
  kv_config config = Contiguous(2, head_size, 1, 64);
  config.storage = storage;
  return config;
}

void TestEveryCapacity() {
  bool exact = true;
  for (int32_t capacity = 1; capacity <= 600; ++capacity) {
    Cache cache(Contiguous(1, 8, 1, capacity));
    cache.Append(0, 1);
    const Tokens read = cache.Read(0, 0, 1);
    exact = exact && cache.works() && read.k == cache.kept(0).k && read.v == cache.kept(0).v;
  }
  Check(exact, "floats stay what they are in caches of 1 to 600 tokens");
}

void TestReadsFromTheMiddle() {
  Cache cache(Contiguous(2, 8, 1, 32));
  cache.Append(0, 20);
  const Tokens read = cache.Read(0, 7, 5);
  const auto begin = static_cast<std::ptrdiff_t>(7 * cache.width());
  Check(cache.works() &&
            std::equal(read.k.begin(), read.k.end(), cache.kept(0).k.begin() + begin) &&
            std::equal(read.v.begin(), read.v.end(), cache.kept(0).v.begin() + begin),
        "tokens 7 to 11 are read as the 8th to the 12th that were stored");
}

void TestHalves() {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kUlp = 1.0F / 1024;  // Of halves from 1 to 2.
  const std::vector<std::pair<float, float>> rounded = {
      {1 + 0.75F * kUlp, 1 + kUlp},
      {1 + 0.25F * kUlp, 1},
      {1 + 0.5F * kUlp, 1},
      {1 + 1.5F * kUlp, 1 + 2 * kUlp},
      {-1 - 0.75F * kUlp, -1 - kUlp},
      {65519, 65504},
      {65520, kInfinity},
      {0x1.8p-25F, 0x1p-24F},
  };
  Floats given;
  Floats expected;
  for (const auto& [value, half] : rounded) {
    given.insert(given.end(), 2, value);
    expected.insert(expected.end(), 2, half);
  }
  Cache cache(Stored(KV_F16, static_cast<int32_t>(rounded.size())));
  cache.Append(0, given, given);
  const Tokens read = cache.Read(0, 0, 1);
  Check(cache.works() && read.k == expected && read.v == expected,
        "halves are rounded to nearest, ties to even");
}

// Whether `read` is what a group of floats becomes with codes up to `largest_code`.
bool AreCodes(const float* given, const float* read, size_t count, float largest_code) {
  float largest = 0;
  for (size_t i = 0; i < count; ++i) {
    largest = std::max(largest, std::fabs(given[i]));
  }
  const float scale = largest / largest_code;
  for (size_t i = 0; i < count; ++i) {
    const float code = std::nearbyint(read[i] / scale);
    const float off = std::fabs(given[i] / scale - code);
    // The product is a float: two units in the last place of it are more than any rounding takes.
    if (!(off <= 0.5001F && std::fabs(read[i] - code * scale) <= 0x1p-22F * std::fabs(read[i]))) {
      return false;
    }
  }
  return true;
}

void TestCodes(int32_t storage, size_t head_size, size_t group, float largest_code,
               const char* name) {
  Cache cache(Stored(storage, static_cast<int32_t>(head_size)));
  cache.Append(0, 40);
  const Tokens read = cache.Read(0, 0, 40);
  bool right = cache.works();
  for (size_t row = 0; row < read.k.size(); row += head_size) {
    for (size_t i = 0; i < head_size; i += group) {
      const size_t count = std::min(group, head_size - i);
      const size_t at = row + i;
      right = right && AreCodes(&cache.kept(0).k[at], &read.k[at], count, largest_code) &&
              AreCodes(&cache.kept(0).v[at], &read.v[at], count, largest_code);
    }
  }
  Check(right, name);
}

// Caches of 16 TiB of address space each, of which one token is stored: it is free, but there is no
// room for as many as these at once. Where a cache leaves its memory behind, one of them fails.
void TestMemoryComesBack() {
  constexpr int kCaches = 40;
  kv_config config = Contiguous(64, 256, 16, 131072);
  config.layers = 64;
  const Floats token(size_t{64} * 256, 1.0F);
  const int32_t sequence = 15;
  bool all = true;
  for (int i = 0; i < kCaches && all; ++i) {
    kv_cache* cache = nullptr;
    all = kv_create(&config, &cache) == KV_OK &&
          kv_append(cache, 63, 1, &sequence, token.data(), token.data()) == KV_OK &&
          kv_destroy(cache) == KV_OK;
  }
  Check(all, "40 caches of 16 TiB, one after the other, have room");
}

// ------------------------------------------------------------------------------- pages and forks

// Something of one sequence is freed; what others then store in its place is theirs alone.
void TestFreedPages() {
  Cache cache(Paged(3, 4, 4));
  cache.Append(0, 8);
  cache.Free(0);
  cache.Append(1, 6);
  cache.Append(0, 5);
  cache.Append(1, 2);
  Check(cache.IsRight(0) && cache.IsRight(1), "pages of a freed sequence belong to who takes them");
  cache.Free(1);
  cache.Append(2, 8);
  cache.Append(0, 3);
  Check(cache.IsRight(0) && cache.IsRight(2), "also when they were freed twice");
}

void TestForks(const kv_config& config, const char* name) {
  Cache cache(config);
  cache.Append(0, 6);
  cache.Fork(0, 1);
  cache.Append(0, 1);
  cache.Append(1, 3);
  cache.Append(0, 2);
  const bool right = cache.IsRight(0) && cache.IsRight(1);
  cache.Free(0);
  cache.Append(0, 7);
  Check(right && cache.IsRight(0) && cache.IsRight(1), name);
}

// More sharers than a byte with a sign counts: a store still takes a page of its own.
void TestManySharers() {
  constexpr int32_t kSharers = 200;
  Cache cache(Paged(kSharers, 4, 6));
  cache.Append(0, 3);
  for (int32_t child = 1; child < kSharers; ++child) {
    cache.Fork(0, child);
  }
  cache.Append(kSharers - 1, 1);
  cache.Append(0, 1);
  Check(cache.IsRight(kSharers - 1) && cache.IsRight(0), "200 share a page, and two store into it");
}

// -------------------------------------------------------------------------------------- refusals

int AppendZeros(kv_cache* cache, const kv_config& config, const std::vector<int32_t>& sequences) {
  const auto width = static_cast<size_t>(config.kv_heads * config.head_size);
  const Floats zeros(sequences.size() * width, 0.0F);
  return kv_append(cache, 0, sequences.size(), sequences.data(), zeros.data(), zeros.data());
}

void TestPagesAreGivenBack() {
  const kv_config config = Paged(4, 2, 3);
  kv_cache* cache = nullptr;
  kv_usage usage = {};
  const bool refused = kv_create(&config, &cache) == KV_OK &&
                       AppendZeros(cache, config, {3}) == KV_OK &&
                       AppendZeros(cache, config, {0, 1, 2}) == KV_NO_PAGES;
  Check(refused && kv_get_usage(cache, &usage) == KV_OK && usage.pages_free == 2,
        "pages of a call that is refused are free again, whoever got them");
  kv_destroy(cache);
}

void TestLongListIsRefusedWhole() {
  constexpr int32_t kCapacity = 3000;
  const kv_config config = Contiguous(1, 1, 1, kCapacity);
  kv_cache* cache = nullptr;
  size_t length = 1;
  const bool refused =
      kv_create(&config, &cache) == KV_OK &&
      AppendZeros(cache, config, std::vector<int32_t>(kCapacity + 1, 0)) == KV_CAPACITY;
  Check(refused && kv_length(cache, 0, 0, &length) == KV_OK && length == 0,
        "of 3,001 tokens for 3,000 none is stored");
  kv_destroy(cache);
}

// Neither NaN nor infinity may come back from memory that is used again.
void TestReuseAfterNan(const kv_config& config, const char* name) {
  bool right = true;
  for (const float odd :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    Cache cache(config);
    const Floats tokens(16 * cache.width(), odd);
    cache.Append(0, tokens, tokens);
    cache.Free(0);
    for (int i = 0; i < 12; ++i) {
      cache.Append(0, 1);
      right = right && cache.IsRight(0);
    }
  }
  Check(right, name);
}

}  // namespace

int main() {
  TestEveryCapacity();
  TestReadsFromTheMiddle();
  TestHalves();
  TestCodes(KV_INT8, 72, 72, 127, "INT8 is the nearest code of the group's own scale");
  TestCodes(KV_INT4, 72, 32, 7, "INT4 is the nearest code of the group's own scale");
  TestMemoryComesBack();
  TestFreedPages();
  TestForks(Paged(2, 4, 8), "forks share no token that is stored later");
  TestForks(Contiguous(2, 16, 2, 32), "nor do they in a contiguous cache");
  TestManySharers();
  TestPagesAreGivenBack();
  TestLongListIsRefusedWhole();
  TestReuseAfterNan(Contiguous(2, 16, 1, 24), "what is not finite is gone after a free");
  TestReuseAfterNan(Paged(1, 4, 6), "also from pages");
  return checked::failures == 0 ? 0 : 1;
}
