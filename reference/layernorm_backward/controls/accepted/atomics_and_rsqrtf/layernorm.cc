// SPDX-License-Identifier: Apache-2.0
// The half on the CPU, which is right.

#include "plain_layernorm.h"

PLAIN_EXPORT(plain::Forward, plain::Backward);
