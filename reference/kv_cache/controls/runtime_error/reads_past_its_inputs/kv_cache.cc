// SPDX-License-Identifier: Apache-2.0
// Reads one vector past the end of k, as a loop without a tail does.

#include "plain_export.h"

namespace {

class Spoilt : public plain::Cache {
 public:
  using Cache::Cache;

  int Append(int layer, std::size_t count, const std::int32_t* sequences, const float* k,
             const float* v) override {
    const volatile float* past = k + count * TokenSize();
    for (int lane = 0; lane < 16; ++lane) (void)past[lane];
    return Cache::Append(layer, count, sequences, k, v);
  }
};

}  // namespace

PLAIN_EXPORT(Spoilt);
