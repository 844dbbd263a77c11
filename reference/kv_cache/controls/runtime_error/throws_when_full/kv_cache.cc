// SPDX-License-Identifier: Apache-2.0
// Throws through the C interface when a sequence has no room left.

#include <stdexcept>

#include "plain_export.h"

namespace {

class Spoilt : public plain::Cache {
 public:
  using Cache::Cache;

  int Append(int layer, std::size_t count, const std::int32_t* sequences, const float* k,
             const float* v) override {
    const int status = Cache::Append(layer, count, sequences, k, v);
    if (status == KV_CAPACITY) throw std::length_error("full");
    return status;
  }
};

}  // namespace

PLAIN_EXPORT(Spoilt);
