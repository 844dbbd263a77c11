// SPDX-License-Identifier: Apache-2.0
#include "report/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "score/applicable_mutants.h"
#include "score/time_rows.h"

namespace assay {
namespace {

constexpr int kWidth_px = 860;
constexpr int kRow_px = 44;
constexpr int kFrame_px = 130;
constexpr int kCurve_px = 420;
constexpr int kMutant_px = 19;
constexpr std::size_t kMostMutants = 100;
constexpr std::size_t kLongestName = 40;
/// A curve of fewer points is a number.
constexpr std::size_t kLeastPoints = 3;
constexpr std::size_t kMostCurves = 3;  ///< Of a challenge.
constexpr std::string_view kGrey = "#7d8590";

struct Style {
  std::string_view colour;
  int shape = 0;  ///< gnuplot's number of a point.
};
constexpr std::array<Style, kMostSeries> kStyles = {{{"#0072b2", 7},
                                                     {"#e69f00", 5},
                                                     {"#009e73", 9},
                                                     {"#cc79a7", 13},
                                                     {"#56b4e9", 11},
                                                     {"#d55e00", 15}}};

/// In single quotes, within which gnuplot takes nothing for a command, an escape or markup.
std::string Quoted(std::string_view text) {
  constexpr std::string_view kAllowed = " .,_-+()/:%|";
  std::string quoted = "'";
  for (const char c : text.substr(0, kLongestName)) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || kAllowed.find(c) != std::string_view::npos;
    quoted += is_plain ? c : '?';
  }
  return quoted + "'";
}

std::string Head(int height_px) {
  return fmt::format(
      "set terminal svg size {},{} noenhanced font 'sans-serif,13'\n"
      "set border lc rgb '{}'\n"
      "set tics textcolor rgb '{}' nomirror\n"
      "set grid lc rgb '{}' lw 0.4 dt 3\n"
      "set key above left horizontal textcolor rgb '{}' noenhanced\n",
      kWidth_px, height_px, kGrey, kGrey, kGrey, kGrey);
}

/// Named places on the vertical axis, the first on top.
std::string RowTics(const std::vector<std::string>& names) {
  std::string tics;
  for (std::size_t i = 0; i < names.size(); ++i) {
    tics += fmt::format("{}{} {}", i == 0 ? "" : ", ", Quoted(names[i]), i);
  }
  return fmt::format("set ytics ({})\nset yrange [{}:-0.6]\n", tics,
                     static_cast<double>(names.size()) - 0.4);
}

/// How far from its row the points of a series are drawn.
double OffsetOf(std::size_t series, std::size_t count) {
  return (static_cast<double>(series) - (static_cast<double>(count) - 1) / 2) * 0.17;
}

/// One series: a name and its lines of data.
struct Series {
  std::string name;
  std::string data;
  Style style = {};
};

/// Data blocks, and a plot of all of them as `with` says.
std::string Plot(const std::vector<Series>& all, std::string_view with) {
  std::string blocks;
  std::string plots;
  for (std::size_t i = 0; i < all.size(); ++i) {
    blocks += fmt::format("$s{} << END\n{}END\n", i, all[i].data);
    plots += fmt::format("{}$s{} {} pt {} ps 0.8 lw 1.6 lc rgb '{}' title {}",
                         i == 0 ? "plot " : ", \\\n  ", i, with, all[i].style.shape,
                         all[i].style.colour, Quoted(all[i].name));
  }
  return blocks + plots + "\n";
}

bool HasData(const std::vector<Series>& all) {
  return std::ranges::any_of(all, [](const Series& one) { return !one.data.empty(); });
}

std::size_t SeriesIn(const ChallengeBoard& challenge) {
  return std::min(challenge.cards.size(), kMostSeries);
}

std::optional<Picture> ScoresByDimension(const ChallengeBoard& challenge) {
  const std::vector<Dimension>& dimensions = challenge.view->rubric.dimensions;
  std::vector<std::string> names;
  names.reserve(dimensions.size());
  for (const Dimension& dimension : dimensions) {
    names.push_back(dimension.title);
  }
  std::vector<Series> all;
  for (std::size_t i = 0; i < SeriesIn(challenge); ++i) {
    const Scorecard& card = challenge.cards[i];
    Series series{.name = card.model_name, .data = {}, .style = kStyles.at(i)};
    for (std::size_t row = 0; row < dimensions.size(); ++row) {
      const DimensionScore& score = *FindDimensionScore(card, dimensions[row].id);
      if (score.score) {
        series.data += fmt::format("{:.1f} {:.3f} {:.1f}\n", *score.score,
                                   static_cast<double>(row) + OffsetOf(i, SeriesIn(challenge)),
                                   score.uncertainty.value_or(0));
      }
    }
    all.push_back(std::move(series));
  }
  if (!HasData(all)) {
    return std::nullopt;
  }
  const int height_px = kFrame_px + kRow_px * static_cast<int>(names.size());
  return Picture{
      .path = fmt::format("pictures/{}_scores.svg", challenge.view->spec.id),
      .description = challenge.view->spec.title + ": scores by dimension with what they could be",
      .program = Head(height_px) + RowTics(names) +
                 "set xrange [-2:110]\nset xlabel 'score' textcolor rgb '" + std::string(kGrey) +
                 "'\n" + Plot(all, "using 1:2:3 with xerrorbars")};
}

/// Times over the baseline's, with their intervals.
std::optional<Picture> Speeds(const ChallengeBoard& challenge) {
  std::vector<std::string> names;
  for (const Evidence* cell : challenge.cells) {
    for (const WorkloadEvidence& one : cell->bench.workloads) {
      if (std::ranges::find(names, one.name) == names.end()) {
        names.push_back(one.name);
      }
    }
  }
  std::ranges::sort(names);
  std::vector<Series> all;
  for (std::size_t i = 0; i < SeriesIn(challenge); ++i) {
    const Evidence& cell = *challenge.cells[i];
    const bool is_trusted = WhyTimesAreNotTrusted(cell.bench).empty();
    Series series{.name = cell.model_name + (is_trusted ? "" : " (untrusted)"),
                  .data = {},
                  .style = kStyles.at(i)};
    for (const WorkloadEvidence& one : cell.bench.workloads) {
      const auto row = std::ranges::find(names, one.name) - names.begin();
      if (one.verdict == Verdict::kAccepted && one.ratio_low > 0 && std::isfinite(one.ratio_high)) {
        series.data += fmt::format("{:.4g} {:.3f} {:.4g} {:.4g}\n", one.ratio,
                                   static_cast<double>(row) + OffsetOf(i, SeriesIn(challenge)),
                                   one.ratio_low, one.ratio_high);
      }
    }
    all.push_back(std::move(series));
  }
  if (!HasData(all)) {
    return std::nullopt;
  }
  const int height_px = kFrame_px + kRow_px * static_cast<int>(names.size());
  return Picture{
      .path = fmt::format("pictures/{}_times.svg", challenge.view->spec.id),
      .description = challenge.view->spec.title +
                     ": times over the baseline's, with 95 % intervals; "
                     "untrusted where the controls are uneven or wide",
      .program = Head(height_px) + RowTics(names) +
                 "set logscale x 2\nset xlabel 'time over the baseline (log scale, 1 is the "
                 "baseline)' textcolor rgb '" +
                 std::string(kGrey) +
                 "'\nset arrow from 1, graph 0 to 1, graph 1 nohead lw 1.5 "
                 "lc rgb '" +
                 std::string(kGrey) + "'\n" + Plot(all, "using 1:2:3:4 with xerrorbars")};
}

bool IsPositive(const std::vector<std::pair<double, double>>& points) {
  return std::ranges::all_of(points, [](const auto& point) {
    return point.first > 0 && point.second > 0 && std::isfinite(point.first) &&
           std::isfinite(point.second);
  });
}

/// The curve of the suite's that a row reads, of all that have it.
Picture CurvePicture(const ChallengeBoard& challenge, const Criterion& row) {
  std::vector<Series> all;
  for (std::size_t i = 0; i < SeriesIn(challenge); ++i) {
    const Evidence& cell = *challenge.cells[i];
    Series series{.name = cell.model_name, .data = {}, .style = kStyles.at(i)};
    const auto curve = cell.suite.curves.find(row.value.arguments.front());
    if (curve != cell.suite.curves.end() && IsPositive(curve->second)) {
      for (const auto& [x, y] : curve->second) {
        series.data += fmt::format("{:.6g} {:.4g}\n", x, y);
      }
    }
    all.push_back(std::move(series));
  }
  // The unit of x, where the rubric says it.
  const bool has_unit =
      row.value.function != ValueFunction::kCurve && row.value.arguments.size() > 1;
  const std::string unit = has_unit ? row.value.arguments[1] : std::string();
  return {
      .path = fmt::format("pictures/{}_{}.svg", challenge.view->spec.id, row.id),
      .description = challenge.view->spec.title + ": " + row.title,
      .program = Head(kCurve_px) +
                 "set logscale xy\nset format y '%g'\n"
                 "set offsets graph 0.03, graph 0.03, graph 0.06, graph 0.06\n" +
                 fmt::format("set title {} textcolor rgb '{}'\nset xlabel {} textcolor rgb '{}'\n",
                             Quoted(row.title), kGrey, Quoted(unit), kGrey) +
                 Plot(all, "using 1:2 with linespoints")};
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

/// Which mutants the tests that a submission brought tell from the baseline.
std::optional<Picture> MutantsKilled(const ChallengeBoard& challenge) {
  std::set<std::string> mutants;
  std::vector<std::set<std::string>> applicable;
  for (std::size_t i = 0; i < SeriesIn(challenge); ++i) {
    const Evidence& cell = *challenge.cells[i];
    mutants.insert(cell.own_tests.mutants_killed.begin(), cell.own_tests.mutants_killed.end());
    applicable.push_back(ApplicableMutants(*challenge.view, cell));
    mutants.insert(applicable.back().begin(), applicable.back().end());
  }
  if (mutants.empty() || mutants.size() > kMostMutants) {
    return std::nullopt;
  }
  std::string tics;
  constexpr int kOpenCircle = 6;
  Series killed{.name = "killed by its own tests", .data = {}, .style = kStyles[0]};
  Series survived{
      .name = "survives them", .data = {}, .style = {.colour = kGrey, .shape = kOpenCircle}};
  for (std::size_t i = 0; i < applicable.size(); ++i) {
    const Evidence& cell = *challenge.cells[i];
    tics += fmt::format("{}{} {}", i == 0 ? "" : ", ", Quoted(cell.model_name), i);
    const auto& kills = cell.own_tests.mutants_killed;
    std::size_t row = 0;
    for (const std::string& mutant : mutants) {
      const bool is_killed = std::ranges::find(kills, mutant) != kills.end();
      if (is_killed || applicable[i].contains(mutant)) {
        (is_killed ? killed : survived).data += fmt::format("{} {}\n", i, row);
      }
      ++row;
    }
  }
  std::vector<Series> all;
  for (Series* const one : {&killed, &survived}) {
    if (!one->data.empty()) {
      all.push_back(std::move(*one));
    }
  }
  return Picture{
      .path = fmt::format("pictures/{}_mutants.svg", challenge.view->spec.id),
      .description = challenge.view->spec.title + ": mutants killed by each submission's own tests",
      .program = Head(kFrame_px + kMutant_px * static_cast<int>(mutants.size())) +
                 RowTics({mutants.begin(), mutants.end()}) +
                 fmt::format("set xtics ({})\nset xrange [-0.5:{}]\n", tics,
                             static_cast<double>(applicable.size()) - 0.5) +
                 Plot(all, "using 1:2 with points")};
}

/// The words of a title that fit twelve letters; the first if none does.
std::string FirstWords(const std::string& title) {
  constexpr std::size_t kFits = 12;
  if (title.size() <= kFits) {
    return title;
  }
  const std::size_t space = title.rfind(' ', kFits);
  return title.substr(0, space == std::string::npos ? title.find(' ') : space);
}

/// Models against the dimensions of all challenges.
std::optional<Picture> HeatMap(const Board& board) {
  const std::size_t models = std::min(board.standings.size(), kMostModelsMapped);
  std::string columns;
  std::string data;
  std::vector<std::string> names;
  for (std::size_t row = 0; row < models; ++row) {
    const ModelStanding& standing = board.standings[row];
    names.push_back(standing.model_name);
    std::size_t column = 0;
    for (const ChallengeBoard& challenge : board.challenges) {
      const auto cell = standing.cells.find(challenge.view->spec.id);
      for (const Dimension& dimension : challenge.view->rubric.dimensions) {
        if (row == 0) {
          columns += fmt::format(
              "{}{} {}", column == 0 ? "" : ", ",
              Quoted(FirstWords(challenge.view->spec.title) + ": " + dimension.title), column);
        }
        if (cell != standing.cells.end()) {
          if (const auto score = FindDimensionScore(*cell->second, dimension.id)->score) {
            data += fmt::format("{} {} {:.1f}\n", column, row, *score);
          }
        }
        ++column;
      }
    }
  }
  if (data.empty()) {
    return std::nullopt;
  }
  const int height_px = 260 + kRow_px * static_cast<int>(models);
  return Picture{
      .path = "pictures/heat_map.svg",
      .description = "Scores of models by dimension, 0 dark to 100 bright",
      .program = Head(height_px) + RowTics(names) + "unset grid\nunset key\nset xtics (" + columns +
                 ") rotate by 60 right\nset cbrange [0:100]\n"
                 "set palette defined (0 '#00224e', 25 '#35456c', 50 '#7c7b78', 75 '#b9ac70', "
                 "100 '#fee838')\nset colorbox\n$s0 << END\n" +
                 data +
                 "END\nplot $s0 using 1:2:(0.48):(0.45):3 with boxxyerror fillstyle solid "
                 "noborder palette notitle, \\\n  $s0 using 1:2:(sprintf('%.0f', $3)):($3 < 55 ? "
                 "0xffffff : 0x000000) with labels textcolor rgb variable notitle\n"};
}

}  // namespace

std::vector<Picture> PicturesOf(const ChallengeBoard& challenge) {
  std::vector<Picture> pictures;
  for (auto picture : {ScoresByDimension(challenge), Speeds(challenge), MutantsKilled(challenge)}) {
    if (picture) {
      pictures.push_back(*std::move(picture));
    }
  }
  for (const Criterion* row : RowsDrawn(challenge)) {
    pictures.push_back(CurvePicture(challenge, *row));
  }
  return pictures;
}

std::vector<Picture> MapOf(const Board& board) {
  auto map = HeatMap(board);
  return map ? std::vector<Picture>{*std::move(map)} : std::vector<Picture>();
}

std::vector<Picture> PicturesOf(const Board& board) {
  std::vector<Picture> pictures = MapOf(board);
  for (const ChallengeBoard& challenge : board.challenges) {
    for (Picture& picture : PicturesOf(challenge)) {
      pictures.push_back(std::move(picture));
    }
  }
  return pictures;
}

Markdown PictureLinks(const std::vector<Picture>& pictures, PageDepth depth) {
  Markdown links;
  for (const Picture& picture : pictures) {
    links += Markdown::Image(Markdown::Text(picture.description),
                             (depth == PageDepth::kTop ? "" : "../") + picture.path) +
             "\n\n";
  }
  return links;
}

}  // namespace assay
