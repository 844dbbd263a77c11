// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GPU_PROGRAMS_COMMON_BITONIC_SORT_CUH_
#define ASSAY_GPU_PROGRAMS_COMMON_BITONIC_SORT_CUH_

/// Sorts each block's 2 * blockDim.x keys (a power of two) ascending, in dynamic shared memory.
__global__ void BitonicSort(unsigned* keys) {
  extern __shared__ unsigned tile[];
  const unsigned size = 2 * blockDim.x;
  unsigned* block_keys = keys + static_cast<size_t>(blockIdx.x) * size;
  tile[threadIdx.x] = block_keys[threadIdx.x];
  tile[threadIdx.x + blockDim.x] = block_keys[threadIdx.x + blockDim.x];
  for (unsigned run = 2; run <= size; run *= 2) {
    for (unsigned stride = run / 2; stride > 0; stride /= 2) {
      __syncthreads();
      const unsigned low = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
      const bool ascending = (low & run) == 0;
      const unsigned a = tile[low];
      const unsigned b = tile[low + stride];
      if ((a > b) == ascending) {
        tile[low] = b;
        tile[low + stride] = a;
      }
    }
  }
  __syncthreads();
  block_keys[threadIdx.x] = tile[threadIdx.x];
  block_keys[threadIdx.x + blockDim.x] = tile[threadIdx.x + blockDim.x];
}

/// Each thread sorts its own `width` keys by insertion: loops as long as the data makes them.
__global__ void InsertionSort(unsigned* keys, int width) {
  unsigned* own = keys + (static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x) * width;
  for (int i = 1; i < width; ++i) {
    const unsigned key = own[i];
    int j = i;
    while (j > 0 && own[j - 1] > key) {
      own[j] = own[j - 1];
      --j;
    }
    own[j] = key;
  }
}

#endif  // ASSAY_GPU_PROGRAMS_COMMON_BITONIC_SORT_CUH_
