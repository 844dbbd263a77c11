// SPDX-License-Identifier: Apache-2.0
// Values that are loaded whether or not they were set, as compilers do, and selected where they
// were: what was not set is not used. The twin in bugs/ uses it.
#include "../common/check.h"

using Getter = bool (*)(int, int&);
__device__ bool OddOnly(int i, int& value) {
  if (i % 2 == 0) {
    return false;
  }
  value = i;
  return true;
}
__device__ Getter getters[1] = {OddOnly};

__global__ void FromLocal(int* out) {
  int value;
  out[threadIdx.x] = getters[0](threadIdx.x, value) ? value : -1;
}

/// Two selections of one value, of which one takes it where it is true and one where it is false.
__global__ void Twice(int* out) {
  int value;
  const bool set = getters[0](threadIdx.x, value);
  const int loaded = *static_cast<volatile int*>(&value);
  out[threadIdx.x] = set ? loaded : -1;
  out[32 + threadIdx.x] = !set ? -2 : loaded;
}

/// The same of shared memory, each thread its own place.
__global__ void FromShared(int* out) {
  __shared__ int values[32];
  const bool set = getters[0](threadIdx.x, values[threadIdx.x]);
  const int loaded = *static_cast<volatile int*>(&values[threadIdx.x]);
  out[threadIdx.x] = set ? loaded : -1;
}

int main() {
  const check::DeviceArray<int> out(64, 0);
  std::vector<int> want(64);
  for (int i = 0; i < 32; ++i) {
    want[i] = i % 2 == 0 ? -1 : i;
    want[32 + i] = i % 2 == 0 ? -2 : i;
  }
  Twice<<<1, 32>>>(out.get());
  check::ExpectEqual("two selections", out.Download(), want);
  FromLocal<<<1, 32>>>(out.get());
  check::ExpectEqual("a local variable", out.Download(), want);
  FromShared<<<1, 32>>>(out.get());
  check::ExpectEqual("shared memory", out.Download(), want);
  return check::Finish();
}
