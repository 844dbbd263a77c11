// Times decoding, a token for each of several sequences, over 6 configurations.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <random>
#include <vector>

#include "interface.h"

namespace {

constexpr int kSteps = 16;

struct Setup {
  const char* name;
  int prompt;
  kv_config config;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

bool run(const Setup& setup) {
  const kv_config& config = setup.config;
  kv_cache* cache = nullptr;
  if (kv_create(&config, &cache) != KV_OK) return false;
  std::vector<int32_t> sequences(static_cast<std::size_t>(config.batch));
  std::iota(sequences.begin(), sequences.end(), 0);
  std::vector<float> rows(sequences.size() * static_cast<std::size_t>(config.query_heads) *
                          static_cast<std::size_t>(config.head_size));
  std::vector<float> out(rows.size());
  std::mt19937 generator(1);
  std::normal_distribution<float> normal;
  for (float& value : rows) value = normal(generator);
  const float* x = rows.data();
  const auto append = [&] {
    return kv_append(cache, 0, sequences.size(), sequences.data(), x, x) == KV_OK;
  };
  bool ran = true;
  for (int i = 0; i < setup.prompt; ++i) ran = ran && append();
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kSteps; ++i) {
    ran = ran && append() &&
          kv_attend(cache, 0, sequences.size(), sequences.data(), x, out.data()) == KV_OK;
  }
  std::printf("%-24s %8.1f us a token\n", setup.name,
              1e6 * seconds_since(start) / (kSteps * config.batch));
  kv_destroy(cache);
  return ran;
}

}  // namespace

int main() {
  const Setup setups[6] = {
      {"MHA, 1 x 1024", 1024, {1, 8, 8, 64, 1, 1040, KV_F32, 0, 0, 0}},
      {"MHA, 8 x 256", 256, {1, 8, 8, 64, 8, 272, KV_F32, 0, 0, 0}},
      {"GQA, 8 x 256", 256, {1, 8, 2, 64, 8, 272, KV_F32, 0, 0, 0}},
      {"INT8, 8 x 256", 256, {1, 8, 8, 64, 8, 272, KV_INT8, 0, 0, 0}},
      {"paged, 8 x 256", 256, {1, 8, 8, 64, 8, 272, KV_F32, 16, 136, 0}},
      {"paged INT8, 8 x 256", 256, {1, 8, 8, 64, 8, 272, KV_INT8, 16, 136, 0}}};
  for (const Setup& setup : setups) {
    if (!run(setup)) return 1;
  }
  return 0;
}
