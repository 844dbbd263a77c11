// SPDX-License-Identifier: Apache-2.0
// Waits for a page to become free when there is none. Nobody else is there to free one.

#include "plain_export.h"

namespace {

class Spoilt : public plain::Cache {
 public:
  using Cache::Cache;

 protected:
  bool Extend(int layer, int sequence) override {
    while (!Cache::Extend(layer, sequence)) asm volatile("");
    return true;
  }
};

}  // namespace

PLAIN_EXPORT(Spoilt);
