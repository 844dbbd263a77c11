// SPDX-License-Identifier: Apache-2.0
// Answers NaN to every query, as a comparison of the form |got - want| > bound would let pass.

#include <algorithm>
#include <cmath>

#include "plain_export.h"

namespace {

class Spoilt : public plain::Cache {
 public:
  using Cache::Cache;

 protected:
  void Output(int /*layer*/, int /*sequence*/, const float* /*q*/, float* out) const override {
    std::fill_n(out, QuerySize(), NAN);
  }
};

}  // namespace

PLAIN_EXPORT(Spoilt);
