// SPDX-License-Identifier: Apache-2.0
// Gives nothing back when a cache is destroyed.

#include "plain_export.h"

PLAIN_EXPORT_MOST(plain::Cache);

extern "C" {
PLAIN_EXPORT_ATTEND
PLAIN_EXPORT_FORK
int kv_destroy(kv_cache* /*cache*/) { return KV_OK; }
}
