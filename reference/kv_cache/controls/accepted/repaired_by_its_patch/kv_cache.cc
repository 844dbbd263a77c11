// SPDX-License-Identifier: Apache-2.0
// A misspelt name, and a patch that spells it right.

#include "plain_export.h"

PLAIN_EXPORT(plain::Cahce);
