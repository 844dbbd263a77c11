// SPDX-License-Identifier: Apache-2.0
// The half on the CPU, which is right.

#include "plain_export.h"

PLAIN_EXPORT(plain::Cache);
PLAIN_EXPORT_DECODER(plain::Decoder);
PLAIN_EXPORT_SAMPLE(plain::Sample);
