// SPDX-License-Identifier: Apache-2.0
// Leaves out kv_attend, which every implementation has to have.

#include "plain_export.h"

PLAIN_EXPORT_MOST(plain::Cache);

extern "C" {
PLAIN_EXPORT_DESTROY
PLAIN_EXPORT_FORK
}
