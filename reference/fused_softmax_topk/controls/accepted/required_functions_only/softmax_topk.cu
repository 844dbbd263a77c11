// SPDX-License-Identifier: Apache-2.0
// The two required functions and nothing else: shows that the suite can do without the optional
// ones.

#include "plain_softmax_topk.cuh"

PLAIN_EXPORT(plain::Run);
