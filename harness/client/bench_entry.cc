// SPDX-License-Identifier: Apache-2.0
#include "client/bench_main.h"

int main(int argc, char** argv) { return assay::BenchMain(argc, argv); }
