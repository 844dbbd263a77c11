// SPDX-License-Identifier: Apache-2.0
// Makes room to unpack the longest context that any cache may have, in every cache of INT4, and
// clears it.

#include <vector>

#include "plain_export.h"

namespace {

class Spoilt : public plain::Cache {
 public:
  explicit Spoilt(const kv_config& config) : Cache(config) {
    constexpr std::size_t kLongest = 131072;
    const std::size_t sequences = Size(config.layers) * Size(config.batch);
    if (config.storage == KV_INT4) unpacked_.resize(kLongest * sequences * 2 * TokenSize());
  }

 private:
  std::vector<double> unpacked_;
};

}  // namespace

PLAIN_EXPORT(Spoilt);
