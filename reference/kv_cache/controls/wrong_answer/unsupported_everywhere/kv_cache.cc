// SPDX-License-Identifier: Apache-2.0
// Says "not supported" to every configuration, honestly and uselessly.

#include "plain_export.h"

namespace {

class Spoilt : public plain::Cache {
 public:
  static constexpr int kCapabilities = 0;

  static int Check(const kv_config& c) {
    const int status = Cache::Check(c);
    return status == KV_OK ? KV_UNSUPPORTED : status;
  }

  using Cache::Cache;
};

}  // namespace

PLAIN_EXPORT(Spoilt);
