// SPDX-License-Identifier: Apache-2.0
// Answers the mean of the values: right where all scores are equal.

#include <algorithm>

#include "plain_export.h"

namespace {

class Spoilt : public plain::Cache {
 public:
  using Cache::Cache;

 protected:
  /// A key of zeros gives every token the same score.
  void See(int layer, int sequence, std::size_t position, plain::Part part, int head,
           float* x) const override {
    if (part == plain::Part::kKey) {
      std::fill_n(x, Size(config_.head_size), 0.0F);
    } else {
      Load(layer, sequence, position, part, head, x);
    }
  }
};

}  // namespace

PLAIN_EXPORT(Spoilt);
