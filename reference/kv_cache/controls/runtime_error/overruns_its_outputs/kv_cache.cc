// SPDX-License-Identifier: Apache-2.0
// Writes one element past the end of the outputs.

#include "plain_export.h"

namespace {

class Spoilt : public plain::Cache {
 public:
  using Cache::Cache;

  int Attend(int layer, std::size_t count, const std::int32_t* sequences, const float* q,
             float* out) override {
    const int status = Cache::Attend(layer, count, sequences, q, out);
    volatile float* past = out + count * QuerySize();
    *past = 1;
    return status;
  }
};

}  // namespace

PLAIN_EXPORT(Spoilt);
