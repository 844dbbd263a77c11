// SPDX-License-Identifier: Apache-2.0
// Makes room to unpack a long context in every cache, clears it, and never gives it back. The
// pieces are small, so that no single call takes long where memory is slow to come.

#include <vector>

#include "plain_export.h"

namespace {

class Spoilt : public plain::Cache {
 public:
  explicit Spoilt(const kv_config& config) : Cache(config) {
    constexpr std::size_t kElements = std::size_t{16} << 20;
    static std::vector<std::vector<float>> unpacked;
    unpacked.emplace_back(kElements);
  }
};

}  // namespace

PLAIN_EXPORT(Spoilt);
