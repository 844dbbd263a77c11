// SPDX-License-Identifier: Apache-2.0
// Answers the query itself.

#include <algorithm>

#include "plain_export.h"

namespace {

class Spoilt : public plain::Cache {
 public:
  using Cache::Cache;

 protected:
  void Output(int /*layer*/, int /*sequence*/, const float* q, float* out) const override {
    std::copy_n(q, QuerySize(), out);
  }
};

}  // namespace

PLAIN_EXPORT(Spoilt);
