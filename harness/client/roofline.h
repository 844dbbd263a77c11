// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLIENT_ROOFLINE_H_
#define ASSAY_CLIENT_ROOFLINE_H_

namespace assay {

/// Bytes a second that one thread reads and writes copying memory that stays in its first-level
/// cache: the most that any code on one processor moves. Best of several runs; takes about 20 ms.
[[nodiscard]] double MeasureCacheBandwidth();

/// How far above that a time must be to be called impossible: clocks differ between processors and
/// over time, and loads alone may run at twice the rate of a copy.
inline constexpr double kImpossibleOverCache = 4;

}  // namespace assay

#endif  // ASSAY_CLIENT_ROOFLINE_H_
