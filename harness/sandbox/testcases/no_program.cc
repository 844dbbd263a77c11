// SPDX-License-Identifier: Apache-2.0
// no_program: a byte behind the name of its loader, and the kernel does not execute it.
asm(".pushsection .interp, \"a\", @progbits\n.ascii \"x\"\n.popsection");

int main() { return 0; }
