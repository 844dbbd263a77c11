// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_KV_CACHE_BASELINE_H_
#define ASSAY_REFERENCE_KV_CACHE_BASELINE_H_

// The baseline of kv_cache: the implementation of interface.h that speed is measured against, and
// the body of every mutant.
//
//   baseline_steps.h       every decision that is easy to get wrong; a mutant replaces one
//   baseline_storage.h     rows in f32, f16, int8 and int4, encoded and decoded
//   baseline_pages.h       where a token lies: pages, copies on write, the ring of a window
//   baseline_tiles.h       scores, weights and sums of a tile of tokens
//   baseline_attention.h   a block of queries over all its tiles
//   baseline_cache.h       the functions of interface.h
//   baseline_decoder.h, baseline_sampling.h
//
// Theory of operation. A decode step is bound by memory: a token's key and value, 1 KiB in f32, are
// read once for all query heads of their KV head, and Llama-3-8B's four make 2 operations a
// byte. So rows of a head lie one behind the other, scores and sums are kept in registers for the
// whole group, and softmax goes tile by tile with a running maximum, so that nothing is as long as
// the sequence. Quantised rows are decoded in registers. A prefill shares each tile among 64 query
// rows; a tile that not every position sees whole is gone through position by position, since a
// weight of 0 does not hide a NaN.
//
// Sums stay in float. A score adds up head_size / 16 products a lane; a value 16 tokens in a
// register, 32 of those in a tile, then tile after tile: 304 additions at 131,072 tokens.
//
// What is left between that and memory's speed is how many lines are under way. A core asks for
// few at once; most of the traffic comes from the processor fetching ahead, and it does that along
// several places at once. One decode step, one thread, 8192 tokens, one sequence: share of the
// limit (a loop that only reads, in turn with the step) and GB/s, in time of the thread, on a
// virtual machine with 2 cores of an AMD EPYC of family 26 that others used as well (limit 31 to
// 56 GB/s):
//
//   version                                                 4 queries a head    1 query a head
//   v1  tiles of 64 tokens, one after the other             0.38 to 0.41  13    0.59 to 0.64  26
//   v2  every row asked for a tile early                    0.48 to 0.54  18    0.54 to 0.58  19
//   v3  v1 with tiles of 512, four places of it in turn     0.59 to 0.63  24    0.85 to 0.90  33
//   v4  v3, and rows asked for 24 tokens early, past the
//       second-level cache; eight vectors of a value at
//       once, so that it is read from beginning to end      0.71 to 0.81  35    0.71 to 0.85  34
//
// v4 is what is here. Slower than it: asking for the values of 16 tokens in one go (0.56 to 0.61),
// 8 or 16 tokens early, eight places. Without effect: huge pages, 32 or 48 tokens early. A call
// among the prefetches made them spill the sums (0.49 to 0.51): they are inlined by force.

#include "baseline_cache.h"
#include "baseline_decoder.h"
#include "baseline_sampling.h"

#endif  // ASSAY_REFERENCE_KV_CACHE_BASELINE_H_
