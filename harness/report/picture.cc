// SPDX-License-Identifier: Apache-2.0
#include "report/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "report/picture_data.h"
#include "score/applicable_mutants.h"

namespace assay {
namespace {

constexpr int kWidth_px = 860;
constexpr int kRow_px = 44;
constexpr int kFrame_px = 130;
constexpr int kCurve_px = 420;
constexpr int kMutant_px = 19;
constexpr std::size_t kMostMutants = 100;
constexpr std::size_t kLongestName = 40;
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

/// Data blocks, and a plot of all of them as `with` says, over what `below` plots.
std::string Plot(const std::vector<Series>& all, std::string_view with,
                 const std::string& below = {}) {
  std::string blocks;
  std::string plots = below;
  for (std::size_t i = 0; i < all.size(); ++i) {
    blocks += fmt::format("$s{} << END\n{}END\n", i, all[i].data);
    plots += fmt::format("{}$s{} {} pt {} ps 0.8 lw 1.6 lc rgb '{}' title {}",
                         plots.empty() ? "" : ", \\\n  ", i, with, all[i].style.shape,
                         all[i].style.colour, Quoted(all[i].name));
  }
  return blocks + "plot " + plots + "\n";
}

bool HasData(const std::vector<Series>& all) {
  return std::ranges::any_of(all, [](const Series& one) { return !one.data.empty(); });
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
  const PlottedTimes times = TimesOf(challenge);
  std::vector<Series> all;
  for (std::size_t i = 0; i < times.series.size(); ++i) {
    const PlottedTimes::Series& one = times.series[i];
    Series series{
        .name = challenge.cells[i]->model_name + (one.why_untrusted.empty() ? "" : " (untrusted)"),
        .data = {},
        .style = kStyles.at(i)};
    for (const PlottedTimes::Point& point : one.points) {
      series.data +=
          fmt::format("{:.4g} {:.3f} {:.4g} {:.4g}\n", point.ratio,
                      static_cast<double>(point.workload) + OffsetOf(i, SeriesIn(challenge)),
                      point.low, point.high);
    }
    all.push_back(std::move(series));
  }
  if (!HasData(all)) {
    return std::nullopt;
  }
  const int height_px = kFrame_px + kRow_px * static_cast<int>(times.workloads.size());
  return Picture{
      .path = fmt::format("pictures/{}_times.svg", challenge.view->spec.id),
      .description = challenge.view->spec.title +
                     ": times over the baseline's, with 95 % intervals; "
                     "untrusted where the controls are uneven or wide",
      .program = Head(height_px) + RowTics(times.workloads) +
                 "set logscale x 2\nset xlabel 'time over the baseline (log scale, 1 is the "
                 "baseline)' textcolor rgb '" +
                 std::string(kGrey) +
                 "'\nset arrow from 1, graph 0 to 1, graph 1 nohead lw 1.5 "
                 "lc rgb '" +
                 std::string(kGrey) + "'\n" + Plot(all, "using 1:2:3:4 with xerrorbars")};
}

/// On logarithmic axes, where 0 has no place; nothing where no other value is there, since gnuplot
/// draws no empty picture.
std::optional<Picture> CurvePicture(const ChallengeBoard& challenge, const PlottedCurve& curve) {
  std::vector<Series> all;
  for (std::size_t i = 0; i < curve.series.size(); ++i) {
    Series series{.name = challenge.cells[i]->model_name, .data = {}, .style = kStyles.at(i)};
    for (const auto& [x, y] : curve.series[i]) {
      if (x > 0 && y > 0) {
        series.data += fmt::format("{:.6g} {:.4g}\n", x, y);
      }
    }
    if (!series.data.empty()) {
      all.push_back(std::move(series));
    }
  }
  if (all.empty()) {
    return std::nullopt;
  }
  const Criterion& row = *curve.row;
  return Picture{
      .path = fmt::format("pictures/{}_{}.svg", challenge.view->spec.id, row.id),
      .description = challenge.view->spec.title + ": " + row.title,
      .program = Head(kCurve_px) +
                 "set logscale xy\nset format y '%g'\n"
                 "set offsets graph 0.03, graph 0.03, graph 0.06, graph 0.06\n" +
                 fmt::format("set title {} textcolor rgb '{}'\nset xlabel {} textcolor rgb '{}'\n",
                             Quoted(row.title), kGrey, Quoted(curve.unit), kGrey) +
                 Plot(all, "using 1:2 with linespoints")};
}

/// The roof as a line over all intensities that are drawn, and each launch below it.
std::optional<Picture> Roofline(const ChallengeBoard& challenge) {
  const auto roofline = RooflineOf(challenge);
  if (!roofline) {
    return std::nullopt;
  }
  const double knee = roofline->f32_flops_per_s / roofline->dram_bytes_per_s;
  double least = knee / 10;
  double most = knee * 10;
  std::vector<Series> all;
  for (std::size_t i = 0; i < roofline->series.size(); ++i) {
    Series series{.name = challenge.cells[i]->model_name, .data = {}, .style = kStyles.at(i)};
    for (const PlottedRoofline::Point& point : roofline->series[i]) {
      least = std::min(least, point.flops_per_byte / 2);
      most = std::max(most, point.flops_per_byte * 2);
      series.data += fmt::format("{:.4g} {:.4g}\n", point.flops_per_byte, point.flops_per_s);
    }
    if (!series.data.empty()) {
      all.push_back(std::move(series));
    }
  }
  const std::string roof =
      fmt::format("$roof << END\n{:.4g} {:.4g}\n{:.4g} {:.4g}\n{:.4g} {:.4g}\nEND\n", least,
                  least * roofline->dram_bytes_per_s, knee, roofline->f32_flops_per_s, most,
                  roofline->f32_flops_per_s);
  return Picture{
      .path = fmt::format("pictures/{}_roofline.svg", challenge.view->spec.id),
      .description = challenge.view->spec.title +
                     ": f32 operations a second of each kernel against those a byte, below the "
                     "roof of the GPU; modelled from counters, not measured",
      .program = Head(kCurve_px) + roof +
                 "set logscale xy\nset format y '%.0s %cflop/s'\nset xlabel 'f32 operations for "
                 "each byte of DRAM traffic' textcolor rgb '" +
                 std::string(kGrey) +
                 fmt::format("'\nset title {} textcolor rgb '{}'\n",
                             Quoted("modelled on " + roofline->gpu), kGrey) +
                 Plot(all, "using 1:2 with points",
                      fmt::format("$roof using 1:2 with lines lw 1.5 lc rgb '{}' notitle", kGrey))};
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
  for (auto picture : {ScoresByDimension(challenge), Speeds(challenge), Roofline(challenge),
                       MutantsKilled(challenge)}) {
    if (picture) {
      pictures.push_back(*std::move(picture));
    }
  }
  for (const PlottedCurve& curve : CurvesOf(challenge)) {
    if (auto picture = CurvePicture(challenge, curve)) {
      pictures.push_back(*std::move(picture));
    }
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
    links += Markdown::Text(picture.description) + ":\n\n" +
             Markdown::Image(Markdown::Text(picture.description),
                             (depth == PageDepth::kTop ? "" : "../") + picture.path) +
             "\n\n";
  }
  return links;
}

}  // namespace assay
