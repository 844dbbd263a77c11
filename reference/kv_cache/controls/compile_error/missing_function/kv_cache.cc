// SPDX-License-Identifier: Apache-2.0
// Leaves a function undefined that it declares and calls.

#include "plain_export.h"

extern "C" int NobodyDefinesThis(void);

namespace {

class Spoilt : public plain::Cache {
 public:
  using Cache::Cache;

  int Free(int /*sequence*/) override { return NobodyDefinesThis(); }
};

}  // namespace

PLAIN_EXPORT(Spoilt);
