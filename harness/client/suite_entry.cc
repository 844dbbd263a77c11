// SPDX-License-Identifier: Apache-2.0
#include "client/suite_main.h"

int main(int argc, char** argv) { return assay::SuiteMain(argc, argv); }
