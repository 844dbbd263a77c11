// SPDX-License-Identifier: Apache-2.0
// Stores floats and reads them as binary16 when it attends: half the arithmetic where the hardware
// has it. kv_read is exact.

#include "plain_export.h"

namespace {

class Spoilt : public plain::Cache {
 public:
  using Cache::Cache;

 protected:
  void See(int layer, int sequence, std::size_t position, plain::Part part, int head,
           float* x) const override {
    Load(layer, sequence, position, part, head, x);
    for (std::size_t i = 0; i < Size(config_.head_size); ++i) {
      x[i] = plain::FromHalf(plain::ToHalf(x[i]));
    }
  }
};

}  // namespace

PLAIN_EXPORT(Spoilt);
