// SPDX-License-Identifier: Apache-2.0
// Is right for ten calls of kv_attend, which a short check would make, and leaves out the first
// element after that.

#include "plain_export.h"

namespace {

class Spoilt : public plain::Cache {
 public:
  using Cache::Cache;

  int Attend(int layer, std::size_t count, const std::int32_t* sequences, const float* q,
             float* out) override {
    static int calls = 0;
    const int status = Cache::Attend(layer, count, sequences, q, out);
    if (++calls > 10 && status == KV_OK && count > 0) out[0] = 0;
    return status;
  }
};

}  // namespace

PLAIN_EXPORT(Spoilt);
