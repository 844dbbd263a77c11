// SPDX-License-Identifier: Apache-2.0
#include "export.cuh"

LAYERNORM_CUDA_EXPORT(assay::layernorm_cuda::Steps);
