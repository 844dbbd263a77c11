// SPDX-License-Identifier: Apache-2.0
// Right, and as plain as can be in CUDA: what the controls that work on the host are made of.

#include "plain_layernorm_cuda.cuh"

namespace {

int Forward(const plain::CudaForward& c) { return plain::Run(c); }
int Backward(const plain::CudaBackward& c) { return plain::Run(c); }

}  // namespace

PLAIN_EXPORT_CUDA(Forward, Backward);
