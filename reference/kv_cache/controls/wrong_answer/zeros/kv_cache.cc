// SPDX-License-Identifier: Apache-2.0
// Answers zero to every query, as an absolute tolerance would forgive.

#include <algorithm>

#include "plain_export.h"

namespace {

class Spoilt : public plain::Cache {
 public:
  using Cache::Cache;

 protected:
  void Output(int /*layer*/, int /*sequence*/, const float* /*q*/, float* out) const override {
    std::fill_n(out, QuerySize(), 0.0F);
  }
};

}  // namespace

PLAIN_EXPORT(Spoilt);
