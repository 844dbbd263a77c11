// SPDX-License-Identifier: Apache-2.0
// Right, and as plain as can be: shows that the suite asks for nothing but the contract.

#include "plain_export.h"

PLAIN_EXPORT(plain::Cache);
PLAIN_EXPORT_DECODER(plain::Decoder);
PLAIN_EXPORT_SAMPLE(plain::Sample);
