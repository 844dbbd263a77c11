// SPDX-License-Identifier: Apache-2.0
// Reports everything, and says "not supported" wherever more than f32 in contiguous memory is asked
// for: the capabilities count, and nothing of them is tested.

#include "plain_export.h"

namespace {

class Spoilt : public plain::Cache {
 public:
  static int Check(const kv_config& c) {
    if (const int status = Cache::Check(c); status != KV_OK) return status;
    const bool is_easy = c.storage == KV_F32 && c.page_size == 0 && c.window == 0;
    return is_easy ? KV_OK : KV_UNSUPPORTED;
  }

  using Cache::Cache;
};

}  // namespace

PLAIN_EXPORT(Spoilt);
