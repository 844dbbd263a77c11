// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CHALLENGES_LAYERNORM_BACKWARD_INTERFACE_H_
#define ASSAY_CHALLENGES_LAYERNORM_BACKWARD_INTERFACE_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Layer normalisation: a forward pass that saves what the backward pass needs, and the backward
 * pass from what was saved alone. C linkage; valid C99 and C++.
 *
 * What it computes. For each row i of x[rows][features], with D = features,
 *
 *     mean_i  = (1/D) * sum_j x[i][j]
 *     var_i   = (1/D) * sum_j (x[i][j] - mean_i)^2          (biased: divided by D, not D - 1)
 *     rstd_i  = 1 / sqrt(var_i + eps)
 *     xhat_ij = (x[i][j] - mean_i) * rstd_i
 *     y_ij    = xhat_ij * gamma[j] + beta[j]
 *
 * and, for a loss L with dy = dL/dy, the gradients dx = dL/dx, dgamma = dL/dgamma,
 * dbeta = dL/dbeta. Outputs are overwritten, never added to; before the call they are random.
 *
 * Shapes, layout, alignment, aliasing. x, y, dy, dx are [rows][features], row-major and dense;
 * gamma, beta, dgamma, dbeta are [features]. Pointers are aligned to their element and no better:
 * an odd `features` also puts rows at odd places. No two buffers overlap. Inputs are read-only
 * memory: writing to one ends the process.
 *
 * Ranges and special values. No call has eps <= 0, rows * features > 2^31, or a null pointer to
 * what is not empty.
 *   rows == 0      LN_OK, saving or not, and backward writes dgamma = dbeta = 0.
 *   features == 0  LN_INVALID_ARGUMENT, also where rows == 0, and whether or not there is room to
 *     save or anything to load; nothing is written.
 *   features == 1  xhat is 0, y is beta, dx is 0 where x is finite, all within the bound below (the
 *     compiler may fuse d - mean(d)).
 *   constant row   var is 0 and rstd is 1/sqrt(eps).
 *   gamma[j] == 0  must not be divided by.
 *   NaN or infinity in a row of x: each element of that row of y, and of dx, is NaN or infinite;
 *     every other row is as if it were not there. dgamma is NaN or infinite in every column,
 *     as xhat of that row is; dbeta is unaffected.
 *   NaN or infinity at dy[i][j]: row i of dx, dgamma[j] and dbeta[j] follow arithmetic; every
 *     other element is as if it were not there.
 * Squares of elements up to 1e15 (f32) and 1e150 (f64) must not overflow; denormal results may be
 * flushed to zero.
 *
 * Precision: at least as good as arithmetic in float (_f64: double) with a two-pass or a Welford
 * variance, summed in any order; sum(x^2) - mean^2 is not, far from zero. The bound, for tests too
 * (a few smallest normal numbers are added), with u = 2^-24 (2^-53), g(n) = n u / (1 - n u), N
 * rows, mean() of a row, d = dy gamma, M1 = mean(d), M2 = mean(d xhat):
 *
 *   mean    em = g(D + 3 ln D + 8) mean(|x|)
 *   var     ev = g(D + 8) var + 3 sqrt(var) em + 2 em^2;    w = ev / (var + eps) + 2u
 *   rstd    r = max(1 - (1 + w)^(-1/2), min((1 - w)^(-1/2), f) - 1) + 4u, relative;
 *             f = sqrt(1 + var / eps) (1 + 4u), which is the min where w >= 1
 *   xhat    eh = (1 + r) rstd (em + 3u (|x| + |mean| + em)) + (r + 3u) |xhat|
 *   y       |gamma| (eh + 4u (|xhat| + eh)) + 3u (|y| + |beta|)
 *   M1, M2  e1 = g(D + 8) mean(|d|);    e2 = mean(|d| eh) +
 *             g(D + 8) (mean(|d xhat|) + mean(|d| eh) + rstd mean(|d| (|x| + |mean|)))
 *   dx      (1 + r) rstd q + (r + 4u) |dx|;
 *             q = 6u (|d| + |M1| + |xhat M2|) + e1 + |xhat| e2 + 2 eh (|M2| + e2)
 *   dgamma  sum over rows of |dy| (eh + g(N + 8) (|xhat| + eh));    dbeta  g(N + 8) sum |dy|
 *
 * On drawn inputs the RMS of each output's error is held to random roundings too, where a sum errs
 * by 8u/3 sqrt((n + 8) ((sum t)^2 + sum t^2)): sums in any order are far inside, what is saved in a
 * narrower type is not.
 *
 * Errors and threads. Each function returns one of the statuses below and never throws, exits or
 * prints. One thread calls one function at a time; a function may use threads of its own, which
 * must have ended or be asleep when it returns. State may not be kept between calls: backward runs
 * in another process than its forward. Memory that a call takes is given back, or used again by the
 * next: after its first 500 calls a process may grow by 96 KiB in 4,500 more.
 *
 * Source: Ba, Kiros, Hinton: Layer Normalization, arXiv:1607.06450, equations (3) and (4), with
 * eps inside the square root as in the common deep-learning libraries.
 */

enum ln_status {
  LN_OK = 0,
  LN_INVALID_ARGUMENT = 1,
  LN_UNSUPPORTED = 2, /* an honest "not supported": counted as skipped */
  LN_OUT_OF_MEMORY = 3,
  LN_DEVICE_FAILURE = 4 /* CUDA alone: a call of the runtime or a launch failed */
};

/*
 * Asks for `bytes` of memory that backward sees under `name`, to be filled before the forward
 * call returns. Returns writable memory aligned to 64 bytes, valid until that call returns, or
 * NULL over a limit (64 tensors, 1 GiB in all) or when the name is taken, empty or longer than 63
 * characters: then forward returns LN_OUT_OF_MEMORY, whatever it has saved. Pass `context` on
 * unchanged. The least to save is three tensors, (rows * features + rows + features) elements.
 */
typedef void* (*ln_save_fn)(void* context, const char* name, size_t bytes);

/*
 * Finds what forward saved under `name`: read-only, aligned to 64 bytes, valid until the backward
 * call returns; its size goes to *bytes (`bytes` may be NULL). NULL for an unknown name: what
 * backward needs and does not find makes it return LN_INVALID_ARGUMENT.
 */
typedef const void* (*ln_load_fn)(void* context, const char* name, size_t* bytes);

/*
 * y from x, and through `save` whatever backward will need, gamma and eps too: backward gets dy and
 * the saved tensors alone.
 */
int ln_forward_f32(size_t rows, size_t features, const float* x, const float* gamma,
                   const float* beta, float eps, float* y, ln_save_fn save, void* save_context);
int ln_forward_f64(size_t rows, size_t features, const double* x, const double* gamma,
                   const double* beta, double eps, double* y, ln_save_fn save, void* save_context);

/* dx, dgamma and dbeta from dy and what a forward call with the same rows and features saved. */
int ln_backward_f32(size_t rows, size_t features, const float* dy, ln_load_fn load,
                    void* load_context, float* dx, float* dgamma, float* dbeta);
int ln_backward_f64(size_t rows, size_t features, const double* dy, ln_load_fn load,
                    void* load_context, double* dx, double* dgamma, double* dbeta);

/*
 * A backward pass of unknown quality: from x, gamma, beta, eps and dy it fills dx, dgamma, dbeta.
 * Deterministic; reads its inputs when called. Returns LN_OK, or a status that ln_check_gradients
 * returns unchanged.
 */
typedef int (*ln_backward_under_check_fn)(void* context, size_t rows, size_t features,
                                          const double* x, const double* gamma, const double* beta,
                                          double eps, const double* dy, double* dx, double* dgamma,
                                          double* dbeta);

struct ln_check_report {
  int right;                   /* 1: the gradients are right, 0: they are not */
  int worst_tensor;            /* where they are worst: 0 dx, 1 dgamma, 2 dbeta */
  size_t worst_index;          /* flat index into that tensor */
  double worst_relative_error; /* |got - want| there over the largest |want| of that tensor; in a
                                  tensor of zeros 0 for rounding, infinity for more */
};

/*
 * Optional. Says whether `backward` computes the gradients of sum(dy * y) at x, gamma, beta.
 * It is wrong when any element is off by 1e-4 or more of the largest magnitude in its tensor, and
 * right when every element is within 1e-8 of that; nothing between is asked, nor a tensor of zeros.
 * On 100,000 elements and fewer a single wrong element counts; above, elements may be sampled.
 * Finite differences may perturb x, gamma and beta, but these must be restored bit for bit. Returns
 * LN_OK when the check was done, whatever it found. A million elements are timed.
 */
int ln_check_gradients(size_t rows, size_t features, double* x, double* gamma, double* beta,
                       double eps, const double* dy, ln_backward_under_check_fn backward,
                       void* backward_context, struct ln_check_report* report);

/*
 * Optional, in CUDA: the same forward and backward on a GPU. What is said above of meaning, shapes,
 * special values, precision and errors holds here too, with these differences:
 *
 * Memory. All pointers are device memory, which the host cannot read. What forward saves is known:
 * mean and rstd, [rows] each, in float. backward gets x, gamma and those two back, and takes their
 * bits for what they are: xhat is (x - mean) * rstd with the mean and rstd it is given, however far
 * they are from the statistics of x. Buffers begin at any multiple of 4 bytes, and so do rows.
 * `workspace` is aligned to 256 bytes, uninitialised, and of exactly
 * ln_backward_cuda_workspace_bytes(rows, features) bytes; for 0 it is NULL. A wrong workspace_bytes
 * is LN_INVALID_ARGUMENT.
 *
 * Special values. forward: rows == 0 is LN_OK and writes nothing; mean and rstd of a row with NaN
 * or infinity are NaN or infinite. backward: rows == 0 writes dgamma = dbeta = 0; mean[i] or
 * rstd[i] that is NaN or infinite acts on row i of dx and on dgamma, by arithmetic. Denormal
 * inputs may be taken for zero, denormal results flushed.
 *
 * Shapes asked for: features up to 65,536 and rows up to 2^31 / features. What is not supported is
 * refused with LN_UNSUPPORTED before anything is written.
 *
 * Precision: as the _f32 functions; mean within em + u |mean|, rstd within r rstd; backward with
 * em = r = 0. Sums may be atomic additions.
 *
 * Streams. Work is ordered on `stream` (0 is the default stream; another is non-blocking): it
 * begins after what is on the stream, and the outputs are in place once the caller has synchronised
 * it. No work may be left elsewhere. Each call begins anew: nothing may be kept between calls but
 * device memory of one's own whose content does not matter, so that a counter is zeroed in each
 * (cudaMemsetAsync is no launch).
 *
 * Kernels do the work: they load x (backward: dy) and store y (dx); to the host, by mapped memory
 * too, go at most 64 bytes.
 *
 * What is measured: launches, and distinct bytes, the workspace's too, read and written by them
 * over the least,
 *
 *     forward   4 * (2 * rows * features + 2 * features + 2 * rows)
 *     backward  4 * (3 * rows * features + 3 * features + 2 * rows)
 */

/* A cudaStream_t: the same type, so that this header needs none of CUDA's. */
struct CUstream_st;
typedef struct CUstream_st* ln_stream;

int ln_forward_cuda_f32(size_t rows, size_t features, const float* x, const float* gamma,
                        const float* beta, float eps, float* y, float* mean, float* rstd,
                        ln_stream stream);

/* Bytes of workspace that ln_backward_cuda_f32 needs at this size, 0 where it refuses that. Needed
 * beside it. */
size_t ln_backward_cuda_workspace_bytes(size_t rows, size_t features);

int ln_backward_cuda_f32(size_t rows, size_t features, const float* dy, const float* x,
                         const float* gamma, const float* mean, const float* rstd, float* dx,
                         float* dgamma, float* dbeta, void* workspace, size_t workspace_bytes,
                         ln_stream stream);

#ifdef __cplusplus
}
#endif

#endif /* ASSAY_CHALLENGES_LAYERNORM_BACKWARD_INTERFACE_H_ */
