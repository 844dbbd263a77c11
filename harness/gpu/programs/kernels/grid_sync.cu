// SPDX-License-Identifier: Apache-2.0
// A cooperative launch: all blocks meet at grid.sync() between the steps of a heat equation, so
// that one launch does what else takes one a step.
// COUNTERS: vary
#include <cooperative_groups.h>

#include "../common/check.h"

namespace cg = cooperative_groups;

__global__ void Heat(float* a, float* b, int n, int steps) {
  const cg::grid_group grid = cg::this_grid();
  for (int step = 0; step < steps; ++step) {
    for (int i = grid.thread_rank(); i < n; i += grid.size()) {
      const float left = i > 0 ? a[i - 1] : 0.0F;
      const float right = i + 1 < n ? a[i + 1] : 0.0F;
      b[i] = 0.25F * left + 0.5F * a[i] + 0.25F * right;
    }
    grid.sync();
    float* const swapped = a;
    a = b;
    b = swapped;
  }
}

int main() {
  int cooperative = 0;
  CUDA_OK(cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, 0));
  check::Expect("cooperative launches are supported", cooperative == 1);
  int n = 3000;
  int steps = 10;
  std::vector<float> x(n);
  x[n / 2] = 1024;
  x[1] = 512;
  std::vector<float> want = x;
  for (int step = 0; step < steps; ++step) {
    std::vector<float> next(n);
    for (int i = 0; i < n; ++i) {
      const float left = i > 0 ? want[i - 1] : 0.0F;
      const float right = i + 1 < n ? want[i + 1] : 0.0F;
      next[i] = 0.25F * left + 0.5F * want[i] + 0.25F * right;  // Exact: few bits.
    }
    want = next;
  }
  const check::DeviceArray<float> a(x), b(x.size());
  float* device_a = a.get();
  float* device_b = b.get();
  void* arguments[] = {&device_a, &device_b, &n, &steps};
  CUDA_OK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(Heat), dim3(8), dim3(128), arguments,
                                      0, nullptr));
  SYNCHRONIZE();
  check::ExpectEqual("ten steps", a.Download(), want);

  // More blocks than the device holds at once cannot meet.
  int per_multiprocessor = 0;
  int multiprocessors = 0;
  CUDA_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, Heat, 128, 0));
  CUDA_OK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  check::ExpectError("too many blocks",
                     cudaLaunchCooperativeKernel(reinterpret_cast<void*>(Heat),
                                                 dim3(per_multiprocessor * multiprocessors + 1),
                                                 dim3(128), arguments, 0, nullptr),
                     cudaErrorCooperativeLaunchTooLarge);
  return check::Finish();
}
