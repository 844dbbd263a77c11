// SPDX-License-Identifier: Apache-2.0
extern "C" int cublasCreate_v2(void** handle);

int MultiplyMatrices() {
  void* handle = nullptr;
  return cublasCreate_v2(&handle);
}
