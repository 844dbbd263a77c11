// SPDX-License-Identifier: Apache-2.0
#include "export.h"

LAYERNORM_EXPORT(assay::layernorm_baseline::BaselineSteps);
