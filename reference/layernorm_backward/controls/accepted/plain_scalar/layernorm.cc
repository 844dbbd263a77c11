// SPDX-License-Identifier: Apache-2.0
// Right, and as plain as can be: shows that the suite asks for nothing but the contract.

#include "plain_layernorm.h"

PLAIN_EXPORT(plain::Forward, plain::Backward);
