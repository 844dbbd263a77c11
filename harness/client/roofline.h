// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLIENT_ROOFLINE_H_
#define ASSAY_CLIENT_ROOFLINE_H_

#include <cstddef>
#include <map>

namespace assay {

/// What any code on one processor moves at most, by how much memory it has to touch: in bytes a
/// second, read and written, of copies within that much memory that was touched before. What fits
/// no cache is measured from DRAM.
class CopyBandwidths {
 public:
  /// For the largest power of two up to `touched_bytes`, from 16 KiB, which every first-level cache
  /// holds, to 64 MiB. Best of several runs, kept for the next question; takes up to 0.2 s.
  [[nodiscard]] double Of(double touched_bytes);

 private:
  std::map<std::size_t, double> measured_;
};

/// How far above that a time must be to be called impossible: clocks differ between processors and
/// over time, and loads alone may run at twice the rate of a copy.
inline constexpr double kImpossibleOverCopy = 4;

}  // namespace assay

#endif  // ASSAY_CLIENT_ROOFLINE_H_
