// SPDX-License-Identifier: Apache-2.0
// Takes a null cache for one that is there.

#include "plain_export.h"

PLAIN_EXPORT_MOST(plain::Cache);

extern "C" {
PLAIN_EXPORT_DESTROY
PLAIN_EXPORT_FORK
int kv_attend(kv_cache* cache, int32_t layer, size_t count, const int32_t* sequences,
              const float* q, float* out) {
  return cache->Attend(layer, count, sequences, q, out);
}
}
