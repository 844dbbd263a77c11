// SPDX-License-Identifier: Apache-2.0
// Says that it holds half of what it holds.

#include "plain_export.h"

namespace {

class Spoilt : public plain::Cache {
 public:
  using Cache::Cache;

  int GetUsage(kv_usage* usage) const override {
    const int status = Cache::GetUsage(usage);
    usage->bytes /= 2;
    return status;
  }
};

}  // namespace

PLAIN_EXPORT(Spoilt);
