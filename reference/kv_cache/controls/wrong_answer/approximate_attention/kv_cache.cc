// SPDX-License-Identifier: Apache-2.0
// Sees the newest 256 tokens alone, without having been asked for a window.

#include <algorithm>

#include "plain_export.h"

namespace {

class Spoilt : public plain::Cache {
 public:
  using Cache::Cache;

 protected:
  std::size_t FirstSeen(std::size_t length) const override {
    constexpr std::size_t kMostSeen = 256;
    return std::max(Cache::FirstSeen(length), length - std::min(length, kMostSeen));
  }
};

}  // namespace

PLAIN_EXPORT(Spoilt);
