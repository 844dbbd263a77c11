// SPDX-License-Identifier: Apache-2.0
// Makes room to unpack the longest context that any cache may have, in every cache of INT4, and
// clears it: half a gibibyte, so that a few caches at once are too many and no single call takes
// long.

#include <vector>

#include "plain_export.h"

namespace {

class Spoilt : public plain::Cache {
 public:
  explicit Spoilt(const kv_config& config) : Cache(config) {
    constexpr std::size_t kLongest = 131072;
    constexpr std::size_t kMostElements = 512;
    if (config.storage == KV_INT4) unpacked_.resize(kLongest * kMostElements);
  }

 private:
  std::vector<double> unpacked_;
};

}  // namespace

PLAIN_EXPORT(Spoilt);
