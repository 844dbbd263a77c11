// SPDX-License-Identifier: Apache-2.0
// Is right for the head sizes that models have, and at the lengths of a power of two that a short
// check would try. Elsewhere it answers zeros.

#include <algorithm>
#include <bit>

#include "plain_export.h"

namespace {

class Spoilt : public plain::Cache {
 public:
  using Cache::Cache;

 protected:
  void Output(int layer, int sequence, const float* q, float* out) const override {
    const std::size_t length = Length(layer, sequence);
    if (config_.head_size == 64 || config_.head_size == 128 || std::has_single_bit(length)) {
      Cache::Output(layer, sequence, q, out);
    } else {
      std::fill_n(out, QuerySize(), 0.0F);
    }
  }
};

}  // namespace

PLAIN_EXPORT(Spoilt);
