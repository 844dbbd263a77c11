// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_LAYERNORM_BACKWARD_BASELINE_H_
#define ASSAY_REFERENCE_LAYERNORM_BACKWARD_BASELINE_H_

// The baseline of layernorm_backward: the implementation of interface.h that speed is measured
// against, and the body of every mutant.
//
// Theory of operation. Both passes are bound by memory: about ten operations for each twelve bytes.
// So every element is brought from memory once, and what needs a second look (the variance after
// the mean, dx after the two row sums) takes it from cache. Forward goes a row at a time. Backward
// goes a block of rows at a time: a first sweep over dy and xhat gathers the sums of each row, a
// second one, from cache, writes dx and adds the whole block to the sums of each column, so that
// these are loaded and stored once a block. Column sums are kept in lanes of T for kRowsPerFlush
// rows, then moved to double: the error of a long column grows with rows / kRowsPerFlush, not with
// rows, in double.
//
// What forward saves is the least: xhat, rstd and gamma. x would be as large as xhat and would need
// the mean too.
//
// Backward, f32, share of the limit (baseline_bench.cc: two matrices read, one written, in the same
// run) at 8192x768 and 8192x4096, on a virtual machine with 2 cores of an AMD EPYC of family 26
// (limit 47 to 58 GB/s on one thread), by
//
//     build/release/reference/layernorm_backward/baseline_bench --benchmark_filter=Backward
//
//   version                                                       one thread    two threads
//   Eigen, an expression a term                                   0.15  0.05
//   v1  blocks of 4 rows, row and column sums in the first sweep  0.48  0.61    0.61  0.86
//   v2  dx of one block in the loop of the next one's sums        0.55  0.53    0.76  0.69
//   v3  column sums in the second sweep, which is from cache;
//       the first row of the next block asked for early           0.66  0.68    0.80  0.79
//
// v2 was dropped: loads from memory between streamed stores are slower than one after the other.
// Without effect on v3, or slower: asking early for two or all four rows of the next block, or in
// the first sweep; blocks of 8 rows; stores that are not streamed.
// What is left to gain on one thread is that overlap: a first sweep only reads, a second one only
// writes, and neither keeps a core's line buffers as full as a loop that does both.
//
// Every term of the formula is one function of BaselineSteps. A mutant replaces one of them.

#include "baseline_backward.h"
#include "baseline_forward.h"
#include "baseline_steps.h"

#endif  // ASSAY_REFERENCE_LAYERNORM_BACKWARD_BASELINE_H_
