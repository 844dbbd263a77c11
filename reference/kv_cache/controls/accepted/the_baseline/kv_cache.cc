// SPDX-License-Identifier: Apache-2.0
// The baseline handed in: its times must come out near the baseline's. Its headers are copied
// beside it before it is graded.

#include "export.h"

KV_EXPORT(assay::kv_baseline::BaselineSteps);
