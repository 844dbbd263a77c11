// SPDX-License-Identifier: Apache-2.0
// A misspelt name.

#include "plain_export.h"

PLAIN_EXPORT(plain::Cahce);
