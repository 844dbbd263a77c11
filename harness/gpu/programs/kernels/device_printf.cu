// SPDX-License-Identifier: Apache-2.0
// printf in a kernel: every conversion, flags and widths, strings, many arguments, and lanes in
// order.
// HARDWARE: the GPU's printf is code that counts
#include "../common/check.h"

__global__ void Formats(const void* pointer) {
  printf("integers %d %i %u %x %X %o %c\n", -5, 7, 42U, 255U, 255U, 8U, 'A');
  printf("long %ld %lld %llu %llx\n", -5L, -1234567890123LL, 18446744073709551615ULL, 0xABCDEFULL);
  printf("widths [%5d] [%-5d] [%05d] [%+d] [% d] [%#x]\n", 42, 42, 42, 42, 42, 42);
  printf("floats %f %.3f %10.2f %e %g %G\n", 3.25, 2.0 / 3, 1234.567, 12345.678, 0.0001, 1e20);
  printf("a float argument %f\n", 0.5F);
  printf("strings %s [%10s] [%-10s] [%.2s]\n", "plain", "right", "left", "cut");
  printf("percent %% and a null pointer is %s\n", pointer == nullptr ? "null" : "not null");
  printf("ten %d %d %d %d %d %d %d %d %d %d\n", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
  printf("no arguments\n");
  printf("not a number %f infinite %f\n", __longlong_as_double(0x7FF8000000000000LL),
         -__longlong_as_double(0x7FF0000000000000LL));
  const int written = printf("two %d %d\n", 1, 2);
  printf("returned %d\n", written);
}

__global__ void Lanes() {
  if (threadIdx.x % 8 == 3) {
    printf("lane %d\n", static_cast<int>(threadIdx.x));
  }
}

int main() {
  Formats<<<1, 1>>>(nullptr);
  SYNCHRONIZE();
  Lanes<<<1, 32>>>();
  SYNCHRONIZE();
  return check::Finish();
}
