// SPDX-License-Identifier: Apache-2.0
// Answers as INT8 and INT4 do and says that it holds so few bytes, but keeps floats: only the
// memory of the process betrays it.

#include <vector>

#include "plain_export.h"

namespace {

class Spoilt : public plain::Cache {
 public:
  explicit Spoilt(const kv_config& config)
      : Cache(InFloats(config)), claimed_(config.storage, Size(config.head_size)) {}

  int GetUsage(kv_usage* usage) const override {
    const int status = Cache::GetUsage(usage);
    usage->bytes = usage->bytes / storage_.Bytes() * claimed_.Bytes();
    return status;
  }

 protected:
  void Store(int layer, int sequence, const float* k, const float* v) override {
    Cache::Store(layer, sequence, Rounded(k).data(), Rounded(v).data());
  }

 private:
  static kv_config InFloats(kv_config config) {
    if (config.storage == KV_INT8 || config.storage == KV_INT4) config.storage = KV_F32;
    return config;
  }

  std::vector<float> Rounded(const float* token) const {
    std::vector<float> rounded(TokenSize());
    std::vector<std::byte> codes(claimed_.Bytes());
    for (std::size_t at = 0; at < TokenSize(); at += Size(config_.head_size)) {
      claimed_.Store(token + at, codes.data());
      claimed_.Load(codes.data(), &rounded[at]);
    }
    return rounded;
  }

  plain::Storage claimed_;
};

}  // namespace

PLAIN_EXPORT(Spoilt);
