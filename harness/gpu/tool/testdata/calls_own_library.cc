// SPDX-License-Identifier: Apache-2.0
int MultiplyMatrices();

int main() { return MultiplyMatrices(); }
