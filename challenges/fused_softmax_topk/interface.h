/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_CHALLENGES_FUSED_SOFTMAX_TOPK_INTERFACE_H_
#define ASSAY_CHALLENGES_FUSED_SOFTMAX_TOPK_INTERFACE_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The interface of the challenge `fused_softmax_topk`. A submission defines softmax_topk_f32 and
 * softmax_topk_workspace_bytes, in CUDA; the others are optional.
 *
 * Meaning. Of each row x[0..vocabulary) the k largest softmax probabilities and where they are:
 *
 *   m   = max_j x[j]
 *   p_i = exp(x[i] - m) / sum_j exp(x[j] - m)
 *   indices[0..k)        the k first of 0..vocabulary in the order below
 *   probabilities[0..k)  p of those, in the same order
 *
 * Order. Larger logits first. Equal logits: the lower index first, and -0 equals +0. NaN, of either
 * sign, quiet or signalling, comes after every number, -infinity too; NaNs by lower index.
 *
 * Shapes and layout. logits: [rows, vocabulary], row r begins at logits + r * row_stride, counted
 * in elements, row_stride >= vocabulary. What lies between rows is not the caller's to read:
 * uninitialised. probabilities and indices: [rows, k], dense. In the functions without _cpu all of
 * them, and the workspace, are device memory, which the host cannot read. logits, probabilities
 * and indices are aligned to their element and no better, so rows begin at any multiple of one.
 * The workspace is aligned to 256 bytes, uninitialised, and of exactly
 * softmax_topk_workspace_bytes(rows, vocabulary, k) bytes; for 0 it is NULL. No two buffers
 * overlap; none is null where it is needed. Inputs must not be written.
 *
 * Do not materialise. Beside its outputs, each written at most twice, a call may write to global
 * memory a quarter of the bytes of its logits and 64 KiB at most: no row of probabilities, and no
 * copy of the logits. Workspace, cudaMemcpy and cudaMemset count too. Kernels do the work: they
 * load each logit and store all outputs; to the host, by mapped memory too, go at most 64 bytes.
 *
 * Ranges and special values. Of the first three the first that applies decides (no rows and k >
 * vocabulary: OK), before SOFTMAX_TOPK_UNSUPPORTED (k 5,000 of 64: invalid).
 *   rows == 0 or k == 0   SOFTMAX_TOPK_OK, nothing is written.
 *   k > vocabulary        SOFTMAX_TOPK_INVALID_ARGUMENT, nothing is written.
 *   row_stride < vocabulary  SOFTMAX_TOPK_INVALID_ARGUMENT, nothing is written; too few
 *                         workspace_bytes likewise.
 *   -infinity             its probability is 0.
 *   A row with a NaN or a +infinity, or of -infinity alone: every probability of that row is NaN;
 *                         its indices follow the order above, and every other row is as if it were
 *                         not there.
 * Asked for: vocabulary up to 262,144, k up to 1,024, any number of rows, rows * row_stride beyond
 * 2^31. What is not supported is refused with SOFTMAX_TOPK_UNSUPPORTED before anything is written.
 * softmax_topk_f32 must support k up to 8 at vocabularies up to 4,096 with rows * row_stride below
 * 2^31.
 *
 * Precision. Selection is exact, on the bits of the logits. Probabilities, of f16 and bf16 too, are
 * as good as float arithmetic with a maximum subtracted, summed in any order, with ex2.approx (2
 * ulp; of 0 exactly 1); denormals may be flushed. The bound, for tests too, with u = 2^-24,
 * e = 2^-21.5, V = vocabulary, d_j = m - x[j], S = sum_j exp(-d_j), G_j different logits above
 * x[j]:
 *
 *   E = sum_j p_j (3u d_j + e + (e + 2u) (32 + G_j)) + (1 + V u) sum_j min(u, p_j)
 *   r = 3u d_i + 2 (e + u) + 6u + 7u ln S + E          (0.5 at most)
 *   |error of p_i| <= p_i r / (1 - r) + 2^-126         (-infinity: exactly 0)
 *
 * E is of the sum, one for all of a row: where p_i >= 2^-100, with q_i = (given p_i) / p_i and
 * w_i = r - E + (e + 2u) (32 + G_i), max_i q_i (1 - w_i) <= min_i q_i / (1 - w_i). And over random
 * rows the errors have the RMS of float's at most: 5e-5 where V is 30,000.
 *
 * Errors and threads. Each function returns one of the statuses below and never throws, exits or
 * prints. Device work is ordered on `stream` (0 is the default stream; another is non-blocking):
 * it begins after what is on the stream, and the outputs are in place once the caller has
 * synchronised it. No work may be left elsewhere. One thread calls one function at a time. Each
 * call begins anew: nothing may be kept between calls but device memory of one's own whose content
 * does not matter. Memory that a call takes is given back, or used again by the next: after 100
 * calls of a kind a process, and its device, may grow by 48 KiB, however many more there are.
 *
 * Source: Milakov, Gimelshein: Online normalizer calculation for softmax, arXiv:1805.02867.
 */

enum softmax_topk_status {
  SOFTMAX_TOPK_OK = 0,
  SOFTMAX_TOPK_INVALID_ARGUMENT = 1,
  SOFTMAX_TOPK_UNSUPPORTED = 2, /* an honest "not supported" */
  SOFTMAX_TOPK_OUT_OF_MEMORY = 3,
  SOFTMAX_TOPK_DEVICE_FAILURE = 4 /* a CUDA call or a launch failed */
};

/* A cudaStream_t: the same type, so that this header needs none of CUDA's. */
struct CUstream_st;
typedef struct CUstream_st* softmax_topk_stream;

/* Bytes of workspace that a call of any device function with these sizes needs; where that computes
 * nothing, 0 will do. */
size_t softmax_topk_workspace_bytes(size_t rows, size_t vocabulary, size_t k);

int softmax_topk_f32(size_t rows, size_t vocabulary, size_t k, const float* logits,
                     size_t row_stride, float* probabilities, int32_t* indices, void* workspace,
                     size_t workspace_bytes, softmax_topk_stream stream);

/* A second version, where there is one: tested and measured like the first. */
int softmax_topk_alternative_f32(size_t rows, size_t vocabulary, size_t k, const float* logits,
                                 size_t row_stride, float* probabilities, int32_t* indices,
                                 void* workspace, size_t workspace_bytes,
                                 softmax_topk_stream stream);

/* Logits as IEEE binary16 and as bfloat16, by their bits. */
int softmax_topk_f16(size_t rows, size_t vocabulary, size_t k, const uint16_t* logits,
                     size_t row_stride, float* probabilities, int32_t* indices, void* workspace,
                     size_t workspace_bytes, softmax_topk_stream stream);
int softmax_topk_bf16(size_t rows, size_t vocabulary, size_t k, const uint16_t* logits,
                      size_t row_stride, float* probabilities, int32_t* indices, void* workspace,
                      size_t workspace_bytes, softmax_topk_stream stream);

/* The same on the CPU, in host memory, on one thread. */
int softmax_topk_cpu_f32(size_t rows, size_t vocabulary, size_t k, const float* logits,
                         size_t row_stride, float* probabilities, int32_t* indices);

#ifdef __cplusplus
}
#endif

#endif /* ASSAY_CHALLENGES_FUSED_SOFTMAX_TOPK_INTERFACE_H_ */
