// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_MACHINE_MACHINE_H_
#define ASSAY_MACHINE_MACHINE_H_

#include "evidence/evidence.h"

namespace assay {

/// The fingerprint of this machine: times compare only between equal ones. `cores` counts the
/// processors this process may use.
[[nodiscard]] Machine DescribeMachine();

/// Bytes a second that `threads` threads (at least 1, each pinned to its own processor) move
/// between memory and core in `c[i] = a[i] + s * b[i]`, the STREAM triad in float: two streams
/// read, one written, the byte mix of a normalisation's backward pass. Arrays are four times the
/// last-level cache. Counts 12 bytes an element, as STREAM does; of ordinary and non-temporal
/// stores the faster counts, since the limit is what the machine can do. Best of several runs;
/// takes a third of a second. NaN when the memory for it cannot be had.
[[nodiscard]] double MeasureBandwidth(int threads);

/// Single-precision floating-point operations a second that `threads` threads (as above) reach on
/// independent fused multiply-adds in registers, at the widest vectors of this machine; an FMA
/// counts as two. Best of several runs; takes about a tenth of a second.
[[nodiscard]] double MeasureFma(int threads);

}  // namespace assay

#endif  // ASSAY_MACHINE_MACHINE_H_
