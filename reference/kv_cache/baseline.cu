// SPDX-License-Identifier: Apache-2.0
#include "export.cuh"

KV_CUDA_EXPORT(assay::kv_cuda::Steps);
