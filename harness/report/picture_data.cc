// SPDX-License-Identifier: Apache-2.0
#include "report/picture_data.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "emulator/model/gpu_model.h"
#include "report/picture.h"
#include "score/launch_summary.h"
#include "score/time_rows.h"

namespace assay {
namespace {

/// A curve of fewer points is a number.
constexpr std::size_t kLeastPoints = 3;
constexpr std::size_t kMostCurves = 3;  ///< Of a challenge.

bool IsPositive(const std::vector<std::pair<double, double>>& points) {
  return std::ranges::all_of(points, [](const auto& point) {
    return point.first > 0 && point.second > 0 && std::isfinite(point.first) &&
           std::isfinite(point.second);
  });
}

bool ReadsCurve(const Criterion& criterion) {
  const ValueFunction function = criterion.value.function;
  return function == ValueFunction::kCurve || function == ValueFunction::kAtLargest ||
         function == ValueFunction::kWorstOf;
}

bool HasCurve(const ChallengeBoard& challenge, const std::string& name) {
  return std::ranges::any_of(challenge.cells, [&](const Evidence* cell) {
    const auto curve = cell->suite.curves.find(name);
    return curve != cell->suite.curves.end() && curve->second.size() >= kLeastPoints &&
           IsPositive(curve->second);
  });
}

/// Of the rows that a curve scores those of the most weight, each of another curve.
std::vector<const Criterion*> RowsDrawn(const ChallengeBoard& challenge) {
  std::vector<const Criterion*> rows;
  for (const Criterion& criterion : challenge.view->rubric.criteria) {
    if (criterion.weight > 0 && ReadsCurve(criterion) && !criterion.value.arguments.empty() &&
        HasCurve(challenge, criterion.value.arguments.front())) {
      rows.push_back(&criterion);
    }
  }
  // By weight, then in the rubric's order.
  std::ranges::sort(rows, {}, [](const Criterion* row) { return std::pair(-row->weight, row); });
  std::vector<const Criterion*> drawn;
  for (const Criterion* row : rows) {
    const bool is_new = std::ranges::none_of(drawn, [&](const Criterion* other) {
      return other->value.arguments.front() == row->value.arguments.front();
    });
    if (is_new && drawn.size() < kMostCurves) {
      drawn.push_back(row);
    }
  }
  return drawn;
}

std::optional<gpu::GpuModel> ModelOfName(std::string_view name) {
  for (const std::string& id : gpu::GpuModelIds()) {
    if (auto model = gpu::FindGpuModel(id); model->name == name) {
      return model;
    }
  }
  return std::nullopt;
}

/// The known GPU of most launches, of equals the first by name.
std::optional<gpu::GpuModel> UsualGpu(const ChallengeBoard& challenge) {
  std::map<std::string, int> launches;
  for (std::size_t i = 0; i < SeriesIn(challenge); ++i) {
    for (const LaunchEvidence& launch : challenge.cells[i]->suite.launches) {
      launches[launch.gpu] += ModelOfName(launch.gpu) ? 1 : 0;
    }
  }
  const auto most = std::ranges::max_element(
      launches, {}, [](const auto& gpu_and_count) { return gpu_and_count.second; });
  return most == launches.end() ? std::nullopt : ModelOfName(most->first);
}

std::optional<PlottedRoofline::Point> PointOf(const LaunchEvidence& launch) {
  const auto flops = launch.values.find("assay__flops_f32");
  const LaunchSummary summary = Summarise(launch);
  if (flops == launch.values.end() || !(flops->second > 0) || !(summary.dram_bytes > 0) ||
      !(summary.modelled_time_s > 0)) {
    return std::nullopt;
  }
  const PlottedRoofline::Point point{.flops_per_byte = flops->second / summary.dram_bytes,
                                     .flops_per_s = flops->second / summary.modelled_time_s};
  return std::isfinite(point.flops_per_byte) && std::isfinite(point.flops_per_s)
             ? std::optional(point)
             : std::nullopt;
}

}  // namespace

std::size_t SeriesIn(const ChallengeBoard& challenge) {
  return std::min(challenge.cards.size(), kMostSeries);
}

PlottedTimes TimesOf(const ChallengeBoard& challenge) {
  PlottedTimes times;
  std::vector<std::string>& names = times.workloads;
  for (const Evidence* cell : challenge.cells) {
    for (const WorkloadEvidence& one : cell->bench.workloads) {
      if (std::ranges::find(names, one.name) == names.end()) {
        names.push_back(one.name);
      }
    }
  }
  std::ranges::sort(names);
  for (std::size_t i = 0; i < SeriesIn(challenge); ++i) {
    const BenchEvidence& bench = challenge.cells[i]->bench;
    PlottedTimes::Series series{.why_untrusted = WhyTimesAreNotTrusted(bench), .points = {}};
    for (const WorkloadEvidence& one : bench.workloads) {
      if (one.verdict == Verdict::kAccepted && one.ratio_low > 0 && std::isfinite(one.ratio_high)) {
        const auto row = std::ranges::find(names, one.name) - names.begin();
        series.points.push_back({.workload = static_cast<std::size_t>(row),
                                 .ratio = one.ratio,
                                 .low = one.ratio_low,
                                 .high = one.ratio_high});
      }
    }
    times.series.push_back(std::move(series));
  }
  return times;
}

std::optional<PlottedRoofline> RooflineOf(const ChallengeBoard& challenge) {
  const auto gpu = UsualGpu(challenge);
  if (!gpu) {
    return std::nullopt;
  }
  const double clock_hz = gpu->clock_khz * 1e3;
  PlottedRoofline roofline{
      .gpu = gpu->name,
      .dram_bytes_per_s = gpu->dram_bytes_per_s,
      .f32_flops_per_s = clock_hz * gpu->multiprocessors * gpu->f32_flops_per_clock,
      .series = {}};
  bool has_points = false;
  for (std::size_t i = 0; i < SeriesIn(challenge); ++i) {
    auto& series = roofline.series.emplace_back();
    for (const LaunchEvidence& launch : challenge.cells[i]->suite.launches) {
      if (const auto point = PointOf(launch); point && launch.gpu == gpu->name) {
        series.push_back(*point);
        has_points = true;
      }
    }
  }
  return has_points ? std::optional(std::move(roofline)) : std::nullopt;
}

std::vector<PlottedCurve> CurvesOf(const ChallengeBoard& challenge) {
  std::vector<PlottedCurve> curves;
  for (const Criterion* row : RowsDrawn(challenge)) {
    const std::vector<std::string>& arguments = row->value.arguments;
    const bool has_unit = row->value.function != ValueFunction::kCurve && arguments.size() > 1;
    PlottedCurve& drawn = curves.emplace_back(
        PlottedCurve{.row = row, .unit = has_unit ? arguments[1] : std::string(), .series = {}});
    for (std::size_t i = 0; i < SeriesIn(challenge); ++i) {
      const auto& of_cell = challenge.cells[i]->suite.curves;
      const auto curve = of_cell.find(drawn.name());
      drawn.series.push_back(curve != of_cell.end() && IsPositive(curve->second)
                                 ? curve->second
                                 : std::vector<std::pair<double, double>>());
    }
  }
  return curves;
}

}  // namespace assay
