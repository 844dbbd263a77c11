// SPDX-License-Identifier: Apache-2.0
// Stores INT8 where floats were asked for: a quarter of the bytes.

#include "plain_export.h"

namespace {

class Spoilt : public plain::Cache {
 public:
  explicit Spoilt(const kv_config& config)
      : Cache(Quantised(config)), asked_(config.storage, Size(config.head_size)) {}

  int GetUsage(kv_usage* usage) const override {
    const int status = Cache::GetUsage(usage);
    usage->bytes = usage->bytes / storage_.Bytes() * asked_.Bytes();
    return status;
  }

 private:
  static kv_config Quantised(kv_config config) {
    if (config.storage == KV_F32) config.storage = KV_INT8;
    return config;
  }

  plain::Storage asked_;
};

}  // namespace

PLAIN_EXPORT(Spoilt);
