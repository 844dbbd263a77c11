// SPDX-License-Identifier: Apache-2.0
// Reports everything, takes pages and windows for a contiguous cache without an end, and says how
// many pages it would use if it had any.

#include <algorithm>

#include "plain_export.h"

namespace {

class Spoilt : public plain::Cache {
 public:
  explicit Spoilt(const kv_config& config) : Cache(Contiguous(config)), asked_(config) {}

  int GetUsage(kv_usage* usage) const override {
    const int status = Cache::GetUsage(usage);
    if (asked_.page_size == 0) return status;
    for (int sequence = 0; sequence < asked_.batch; ++sequence) {
      std::size_t longest = 0;
      for (int layer = 0; layer < asked_.layers; ++layer) {
        longest = std::max(longest, Length(layer, sequence));
      }
      usage->pages_in_use += (longest + Size(asked_.page_size) - 1) / Size(asked_.page_size);
    }
    usage->pages_free = Size(asked_.pages) - usage->pages_in_use;
    usage->bytes =
        usage->pages_in_use * Size(asked_.page_size) * Size(asked_.layers) * token_bytes_;
    return status;
  }

 private:
  static kv_config Contiguous(kv_config config) {
    config.page_size = 0;
    config.pages = 0;
    config.window = 0;
    return config;
  }

  kv_config asked_;
};

}  // namespace

PLAIN_EXPORT(Spoilt);
