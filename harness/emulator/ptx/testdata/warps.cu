// SPDX-License-Identifier: Apache-2.0
// Tensor cores, asynchronous copies, cooperative groups, halves, and inline PTX with scopes.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

namespace cg = cooperative_groups;
using namespace nvcuda;

__global__ void Wmma(const half* a, const half* b, float* c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.f);
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}

__global__ void Halves(half2* h, __nv_bfloat162* b, half* h1, __nv_bfloat16* b1) {
  h[0] = __hfma2(h[1], h[2], h[3]);
  h[4] = h2exp(h[5]);
  h[6] = __hmax2(h[7], h[8]);
  b[0] = __hfma2_relu(b[1], b[2], b[3]);
  b1[1] = __float2bfloat16(__half2float(h1[2]));
  atomicAdd(h + 20, h[1]);
  atomicAdd(b1 + 9, b1[8]);
  h[30] = __hge2(h[1], h[2]);
}

__global__ void Groups(float* x) {
  const auto grid = cg::this_grid();
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  float v = cg::reduce(tile, x[grid.thread_rank()], cg::plus<float>());
  const int i = cg::reduce(tile, static_cast<int>(v), cg::plus<int>());
  grid.sync();
  if (tile.thread_rank() == 0) x[tile.meta_group_rank()] = v + i;
}

__global__ void Copies(const float4* in, float4* out) {
  __shared__ float4 staged[128];
  __pipeline_memcpy_async(&staged[threadIdx.x], in + threadIdx.x, 16, 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[threadIdx.x] = staged[threadIdx.x ^ 1];
}

__global__ void Inline(unsigned* x, const void* g) {
  const unsigned s = static_cast<unsigned>(__cvta_generic_to_shared(x));
  unsigned r0, r1, r2, r3;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3)
               : "r"(s));
  float d[4] = {};
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},"
      "{%8,%9},{%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(r0), "r"(r1), "r"(r2), "r"(r3), "r"(r0), "r"(r1));
  x[0] = d[0] + d[1];
  for (unsigned phase = 0; phase < 2; ++phase) {
    asm volatile(
        "{\n.reg .pred P1;\nLAB_WAIT:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n"
        "@P1 bra.uni DONE;\nbra.uni LAB_WAIT;\nDONE:\n}" ::"r"(s),
        "r"(phase));
    asm volatile(
        "{ .reg .pred p; setp.ne.b32 p,%0,0; @p cp.async.cg.shared.global [%1],[%2],16; }" ::"r"(
            r0),
        "r"(s), "l"(g));
  }
  asm volatile(
      "{ .reg .b64 p; createpolicy.fractional.L2::evict_last.b64 p, 1.0;\n"
      "ld.global.nc.L1::no_allocate.L2::cache_hint.L2::256B.v4.u32 {%0,%1,%2,%3},[%4],p; }"
      : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3)
      : "l"(g));
  asm volatile("lop3.b32 %0,%1,%2,%3,0xEA;" : "+r"(r0) : "r"(r1), "r"(r2), "r"(r3));
  asm volatile("{.reg .pred p; elect.sync %0|p, -1;}" : "=r"(r1));
  asm volatile("red.release.gpu.global.add.u32 [%0],%1;" ::"l"(g), "r"(r0 + r1));
}
