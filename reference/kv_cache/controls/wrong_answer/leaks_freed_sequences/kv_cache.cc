// SPDX-License-Identifier: Apache-2.0
// Moves on to new memory when a sequence is freed, and keeps the old until the cache is destroyed.
// What it reports is right.

#include <algorithm>
#include <vector>

#include "plain_export.h"

namespace {

class Spoilt : public plain::Cache {
 public:
  using Cache::Cache;

  int Free(int sequence) override {
    std::size_t bytes = 0;
    if (IsThere(0, sequence)) {
      for (int layer = 0; layer < config_.layers; ++layer) {
        bytes += std::min(Length(layer, sequence), Slots()) * token_bytes_;
      }
    }
    kept_.emplace_back(bytes, std::byte{1});
    return Cache::Free(sequence);
  }

 private:
  std::vector<std::vector<std::byte>> kept_;
};

}  // namespace

PLAIN_EXPORT(Spoilt);
