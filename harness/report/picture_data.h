// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REPORT_PICTURE_DATA_H_
#define ASSAY_REPORT_PICTURE_DATA_H_

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/board.h"

/// What pictures show, before anybody draws it: gnuplot for reports, the browser for the site.
namespace assay {

/// Series of a picture are of so many models, the first in the ranking: one each.
[[nodiscard]] std::size_t SeriesIn(const ChallengeBoard& challenge);

/// Times over the baseline's with their 95 % intervals. Only what was right and has an interval.
struct PlottedTimes {
  struct Point {
    std::size_t workload = 0;  ///< Index in `workloads`.
    double ratio = 0;
    double low = 0;
    double high = 0;  ///< Finite; `low` is above 0.
  };
  struct Series {
    std::string why_untrusted;  ///< Empty where the controls speak for the times.
    std::vector<Point> points;
  };
  std::vector<std::string> workloads;  ///< Of all cells, sorted.
  std::vector<Series> series;
};
[[nodiscard]] PlottedTimes TimesOf(const ChallengeBoard& challenge);

/// Launches in the manner of a roofline (Williams et al. 2009, doi:10.1145/1498765.1498785): x is
/// the f32 operations that were counted for each byte of DRAM traffic, y those operations over the
/// modelled time (emulator/model/roofline.h). The roof is of the GPU's published figures: y is at
/// most min(x * dram_bytes_per_s, f32_flops_per_s). Modelled, never measured.
struct PlottedRoofline {
  struct Point {
    double flops_per_byte = 0;
    double flops_per_s = 0;
  };
  std::string gpu;  ///< Most launches are of it; those of others are left out.
  double dram_bytes_per_s = 0;
  double f32_flops_per_s = 0;
  std::vector<std::vector<Point>> series;
};
/// None where no launch has f32 operations, traffic and a time on a GPU that is known.
[[nodiscard]] std::optional<PlottedRoofline> RooflineOf(const ChallengeBoard& challenge);

/// The curve of the suite's that a row reads: x and y are positive and finite.
struct PlottedCurve {
  const Criterion* row = nullptr;
  std::string unit;                                            ///< Of x, where the rubric says it.
  std::vector<std::vector<std::pair<double, double>>> series;  ///< Empty ones of who has none.
  /// Its name in evidence.
  [[nodiscard]] const std::string& name() const { return row->value.arguments.front(); }
};
/// Of the rows that a curve scores those of the most weight, each of another curve; at most three.
[[nodiscard]] std::vector<PlottedCurve> CurvesOf(const ChallengeBoard& challenge);

}  // namespace assay

#endif  // ASSAY_REPORT_PICTURE_DATA_H_
