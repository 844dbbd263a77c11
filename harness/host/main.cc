// SPDX-License-Identifier: Apache-2.0
#include "host/runtime.h"

int main() { return assay::host::Main(); }
