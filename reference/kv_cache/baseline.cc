// SPDX-License-Identifier: Apache-2.0
#include "export.h"

KV_EXPORT(assay::kv_baseline::BaselineSteps);
