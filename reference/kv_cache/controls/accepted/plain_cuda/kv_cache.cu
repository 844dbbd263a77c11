// SPDX-License-Identifier: Apache-2.0
// Right, and as plain as can be in CUDA: what the controls that work on the host are made of.

#include "plain_decode_cuda.cuh"

namespace {

int Decode(const plain::Paged& c) { return plain::Run(c); }

}  // namespace

PLAIN_EXPORT_CUDA(Decode);
