// SPDX-License-Identifier: Apache-2.0
#include "report/site_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "evidence/bench_moment.h"
#include "evidence/json.h"
#include "evidence/statistics.h"
#include "report/json_parts.h"
#include "report/json_text.h"
#include "report/model_highlights.h"
#include "report/picture_data.h"
#include "report/plain_text.h"
#include "report/words.h"
#include "score/cost_once.h"
#include "score/explain.h"
#include "score/format.h"
#include "score/matchup_total.h"
#include "score/on_all_cores.h"
#include "score/time_rows.h"

namespace assay {
namespace {

using nlohmann::json;

/// `document` with every text in it, keys too, as a page may show it.
json Harmless(const json& document) {
  if (document.is_string()) {
    return PlainLines(Shorten(document.get_ref<const std::string&>(), kLongestSiteText_bytes));
  }
  if (document.is_array()) {
    json array = json::array();
    for (const json& one : document) {
      array.push_back(Harmless(one));
    }
    return array;
  }
  if (document.is_object()) {
    json object = json::object();
    for (const auto& [key, value] : document.items()) {
      const bool is_name = key == "model_name";
      object[PlainLine(key)] = is_name ? json(PlainLine(Shorten(value.get_ref<const std::string&>(),
                                                                kLongestSiteName_bytes)))
                                       : Harmless(value);
    }
    return object;
  }
  return document;
}

Status Hand(const SiteSink& sink, const std::string& name, const json& document) {
  const std::string text = Harmless(document).dump(-1, ' ', false, json::error_handler_t::replace);
  return sink(fmt::format("data/{}.js", name), SiteScript(name, text));
}

json RubricJson(const Rubric& rubric) {
  json object = {{"dimensions", json::array()}, {"criteria", json::array()}};
  for (const Dimension& dimension : rubric.dimensions) {
    object["dimensions"].push_back(
        {{"id", dimension.id}, {"title", dimension.title}, {"weight", dimension.weight}});
  }
  for (const Criterion& criterion : rubric.criteria) {
    object["criteria"].push_back({{"id", criterion.id},
                                  {"title", criterion.title},
                                  {"dimension", criterion.dimension},
                                  {"value", ToString(criterion.value)},
                                  {"edge", ToString(criterion.edge)},
                                  {"weight", criterion.weight}});
  }
  return object;
}

/// A cell on the board: without what the challenge says for all of them, since there are thousands.
json BoardCellJson(const ChallengeBoard& challenge, std::size_t index) {
  json cell = RankedSummaryJson(challenge, index);
  cell.erase("challenge");
  cell.erase("model_name");
  for (json& dimension : cell["dimensions"]) {
    dimension = {dimension["score"], dimension["uncertainty"], dimension["coverage"]};
  }
  cell["fails_like"] = json::array();
  if (const std::optional<Diagnosis>& diagnosis = challenge.cards[index].diagnosis) {
    for (const Match& match : diagnosis->matches) {
      cell["fails_like"].push_back(MutantsOf(match));
    }
  }
  return cell;
}

json BoardChallengeJson(const ChallengeBoard& challenge) {
  json object = RubricJson(challenge.view->rubric);
  object["id"] = challenge.view->spec.id;
  object["title"] = challenge.view->spec.title;
  object["cells"] = json::array();
  for (std::size_t i = 0; i < challenge.cells.size(); ++i) {
    object["cells"].push_back(BoardCellJson(challenge, i));
  }
  object["anchors"] = json::array();
  for (const AnchorCard& anchor : challenge.anchors) {
    json card = SummaryJson(anchor.card);
    card["of_another_version"] = anchor.version == AnchorCard::Version::kAnother;
    object["anchors"].push_back(std::move(card));
  }
  return object;
}

/// Those whose edges stand on the site.
std::vector<ModelPair> SitePairs(const Board& board) {
  return board.standings.size() <= kMostModelsWithAllPairs ? AllPairsOf(board) : board.pairs;
}

json BoardJson(const Board& board, const std::vector<ModelPair>& pairs) {
  json document = {{"standings", json::array()},
                   {"challenges", json::array()},
                   {"pairs", json::array()},
                   {"pairs_are_all", board.standings.size() <= kMostModelsWithAllPairs},
                   {"most_models_with_all_pairs", kMostModelsWithAllPairs},
                   {"left_out", board.left_out}};
  for (const ModelStanding& standing : board.standings) {
    json entry = StandingJson(board, standing);
    entry["reconstruction"] = standing.reconstruction;
    document["standings"].push_back(std::move(entry));
  }
  for (const ChallengeBoard& challenge : board.challenges) {
    document["challenges"].push_back(BoardChallengeJson(challenge));
  }
  for (const ModelPair& pair : pairs) {
    document["pairs"].push_back({pair.a, pair.b});
  }
  return document;
}

json RooflineJson(const ChallengeBoard& challenge) {
  const auto roofline = RooflineOf(challenge);
  if (!roofline) {
    return nullptr;
  }
  json document = {{"gpu", roofline->gpu},
                   {"dram_bytes_per_s", roofline->dram_bytes_per_s},
                   {"f32_flops_per_s", roofline->f32_flops_per_s},
                   {"series", json::array()}};
  for (const auto& series : roofline->series) {
    json points = json::array();
    for (const PlottedRoofline::Point& point : series) {
      points.push_back({point.flops_per_byte, point.flops_per_s});
    }
    document["series"].push_back(std::move(points));
  }
  return document;
}

json PicturesJson(const ChallengeBoard& challenge) {
  const PlottedTimes times = TimesOf(challenge);
  json document = {{"models", json::array()},
                   {"curves", json::array()},
                   {"times", {{"workloads", times.workloads}, {"series", json::array()}}}};
  for (std::size_t i = 0; i < SeriesIn(challenge); ++i) {
    document["models"].push_back(challenge.cells[i]->model);
  }
  for (const PlottedTimes::Series& series : times.series) {
    json points = json::array();
    for (const PlottedTimes::Point& point : series.points) {
      points.push_back({point.workload, point.ratio, point.low, point.high});
    }
    document["times"]["series"].push_back(
        {{"why_untrusted", series.why_untrusted}, {"points", std::move(points)}});
  }
  document["roofline"] = RooflineJson(challenge);
  for (const PlottedCurve& curve : CurvesOf(challenge)) {
    document["curves"].push_back({{"criterion", curve.row->id},
                                  {"title", curve.row->title},
                                  {"curve", curve.name()},
                                  {"unit", curve.unit},
                                  {"series", curve.series}});
  }
  return document;
}

/// To so many digits as a page shows: times of one pair are not known better.
double RoundedForReaders(double ratio) {
  const std::string text = fmt::format("{:.4g}", ratio);
  double rounded = 0;
  std::from_chars(text.data(), text.data() + text.size(), rounded);
  return rounded;
}

/// Blocks of one run: the ratio of each pair, block by block, and the run's median.
json RunJson(const std::vector<TimeBlock>& blocks) {
  json run = {{"median", RoundedForReaders(MedianRatio(blocks).ratio)}, {"blocks", json::array()}};
  for (const TimeBlock& block : blocks) {
    json ratios = json::array();
    for (const TimePair& pair : block.pairs) {
      const TimeBlock alone = {.pairs = {pair}};
      ratios.push_back(RoundedForReaders(MedianRatio(std::span(&alone, 1)).ratio));
    }
    run["blocks"].push_back(std::move(ratios));
  }
  return run;
}

/// After which step of grading the run of that index was; null where that is not known.
json StepBefore(const BenchEvidence& bench, std::optional<int> index) {
  if (!index || !bench.runs || *index < 0 || !std::cmp_less(*index, bench.runs->size())) {
    return nullptr;
  }
  return ToString(bench.runs->at(static_cast<std::size_t>(*index)).after);
}

/// Of each workload its runs with their samples, without blocks that have none. Evidence from
/// before there were runs has one, of which `run` and `after` are null.
json SamplesJson(const BenchEvidence& bench, const std::vector<WorkloadEvidence>& workloads) {
  json samples = json::array();
  for (const WorkloadEvidence& workload : workloads) {
    std::map<std::optional<int>, std::vector<TimeBlock>> by_run;
    for (const TimeBlock& block : workload.blocks) {
      if (!block.pairs.empty()) {
        by_run[block.run].push_back(block);
      }
    }
    json runs = json::array();
    for (const auto& [index, blocks] : by_run) {
      json run = RunJson(blocks);
      run["run"] = index ? json(*index + 1) : json();
      run["after"] = StepBefore(bench, index);
      runs.push_back(std::move(run));
    }
    samples.push_back({{"workload", workload.name}, {"runs", std::move(runs)}});
  }
  return samples;
}

/// What of evidence a page shows: without each timed pair, which SamplesJson has, and of the run
/// with sanitizers only the cases that went wrong.
json ShownEvidence(const Evidence& cell) {
  Evidence shown = cell;
  for (auto* const workloads : {&shown.bench.workloads, &shown.bench.controls}) {
    for (WorkloadEvidence& one : *workloads) {
      one.blocks.clear();
    }
  }
  std::erase_if(shown.sanitized_suite.cases, [](const CaseEvidence& one) {
    return one.verdict == Verdict::kAccepted || one.verdict == Verdict::kSkipped;
  });
  shown.sanitized_suite.launches.clear();
  shown.sanitized_suite.curves.clear();
  shown.sanitized_suite.metrics.clear();
  return json::parse(EvidenceToJson(shown));
}

json CellJson(const ChallengeBoard& challenge, std::size_t index) {
  const Evidence& cell = *challenge.cells[index];
  const CellExplanation explanation = Explain(*challenge.view, cell, challenge.cards[index]);
  json document = ExplanationJson(cell, *challenge.view, explanation);
  if (explanation.card.diagnosis) {
    json& matches = document["diagnosis"]["fails_like"];
    for (std::size_t i = 0; i < matches.size(); ++i) {
      const Match& match = explanation.card.diagnosis->matches[i];
      matches[i]["says"] = fmt::format("{} ({}){}", MutantsOf(match), GroundsOf(match),
                                       WhereItCosts(match, *challenge.view, cell));
    }
  }
  document["why_times_are_untrusted"] = WhyTimesAreNotTrusted(cell.bench);
  document["evidence"] = ShownEvidence(cell);
  document["samples"] = {{"workloads", SamplesJson(cell.bench, cell.bench.workloads)},
                         {"controls", SamplesJson(cell.bench, cell.bench.controls)}};
  return document;
}

json TotalJson(const MatchupTotal& total) {
  return {{"winner", ToString(total.winner)},
          {"points_a", total.points_a},
          {"points_b", total.points_b},
          {"mean_a", OrNull(total.mean_a)},
          {"mean_b", OrNull(total.mean_b)},
          {"margin", total.margin},
          {"margin_uncertainty", total.margin_uncertainty},
          {"undecided", total.undecided}};
}

std::string_view NameOf(CriticalIssue::Kind kind) {
  switch (kind) {
    case CriticalIssue::Kind::kDoesNotBuild:
      return "does_not_build";
    case CriticalIssue::Kind::kNotAccepted:
      return "not_accepted";
    case CriticalIssue::Kind::kKnownBug:
      return "known_bug";
    case CriticalIssue::Kind::kUnexplained:
      return "unexplained";
  }
  return "";
}

/// On a line of a list, as in markdown.
json LineOfText(std::string_view text) { return PlainLine(Shorten(text, kLongestLine_bytes)); }

json HighlightedRows(const std::vector<Highlight>& rows) {
  json array = json::array();
  for (const Highlight& row : rows) {
    array.push_back({{"criterion", row.criterion->id},
                     {"authored", IsAuthored(row.criterion->kind)},
                     {"points", RoundedForReaders(row.points)},
                     {"says", LineOfText(FormatValue(*row.criterion, row.row->value))}});
  }
  return array;
}

json NamedScore(const DimensionScore* dimension) {
  return dimension == nullptr
             ? json()
             : json({{"id", dimension->dimension}, {"score", OrNull(dimension->score)}});
}

/// What stands out in the model's cells; their scores are on the board.
json ModelJson(const Board& board, const std::string& model) {
  json document = {{"model", model}, {"rules", HighlightRules()}, {"challenges", json::array()}};
  for (const CellHighlights& cell : HighlightsOf(board, model)) {
    json issues = json::array();
    for (const CriticalIssue& issue : cell.issues) {
      issues.push_back({{"kind", NameOf(issue.kind)},
                        {"subject", LineOfText(issue.subject)},
                        {"detail", LineOfText(issue.detail)}});
    }
    document["challenges"].push_back({{"id", cell.challenge->view->spec.id},
                                      {"best", NamedScore(cell.best)},
                                      {"worst", NamedScore(cell.worst)},
                                      {"issues", std::move(issues)},
                                      {"strengths", HighlightedRows(cell.strengths)},
                                      {"weaknesses", HighlightedRows(cell.weaknesses)}});
  }
  return document;
}

Status HandPairs(const Board& board, const std::vector<ModelPair>& pairs, const SiteSink& sink) {
  for (const ModelPair& pair : pairs) {
    std::vector<std::optional<Matchup>> matchups(board.challenges.size());
    OnAllCores(matchups.size(), [&](std::size_t i) {
      matchups[i] = FindOrMakeMatchup(board, board.challenges[i], pair.a, pair.b);
    });
    const bool is_in_reports = std::ranges::find(board.pairs, pair) != board.pairs.end();
    json document = {
        {"a", pair.a}, {"b", pair.b}, {"in_reports", is_in_reports}, {"matchups", json::array()}};
    std::vector<Matchup> entered;
    for (std::size_t i = 0; i < matchups.size(); ++i) {
      if (matchups[i]) {
        document["matchups"].push_back(OutcomeJson(*board.challenges[i].view, *matchups[i]));
        entered.push_back(*std::move(matchups[i]));
      }
    }
    document["total"] = TotalJson(TotalOf(entered));
    ASSAY_RETURN_IF_ERROR(Hand(sink, fmt::format("pairs/{}/{}", pair.a, pair.b), document));
  }
  return {};
}

}  // namespace

std::string SiteScript(std::string_view name, std::string_view json) {
  std::string script = fmt::format("{}'{}','", kSiteDataMark, name);
  script.reserve(script.size() + json.size() + json.size() / 8);
  for (std::size_t i = 0; i < json.size(); ++i) {
    const std::string_view rest = json.substr(i);
    if (rest.starts_with("\u2028") || rest.starts_with("\u2029")) {
      // Ends a line of a script that is older than 2019.
      script += rest.starts_with("\u2028") ? "\\u2028" : "\\u2029";
      i += 2;
    } else if (json[i] == '<') {
      script += "\\u003c";
    } else if (json[i] == '\'' || json[i] == '\\') {
      script += '\\';
      script += json[i];
    } else {
      script += json[i];
    }
  }
  return script + "')\n";
}

Status RenderSiteData(const Board& board, const SiteSink& sink) {
  for (const ChallengeBoard& challenge : board.challenges) {
    const std::string& id = challenge.view->spec.id;
    ASSAY_RETURN_IF_ERROR(Hand(sink, "challenges/" + id, PicturesJson(challenge)));
    for (std::size_t i = 0; i < challenge.cells.size(); ++i) {
      const std::string name = fmt::format("cells/{}/{}", id, challenge.cells[i]->model);
      ASSAY_RETURN_IF_ERROR(Hand(sink, name, CellJson(challenge, i)));
    }
  }
  for (const ModelStanding& standing : board.standings) {
    ASSAY_RETURN_IF_ERROR(Hand(sink, "models/" + standing.model, ModelJson(board, standing.model)));
  }
  const std::vector<ModelPair> pairs = SitePairs(board);
  ASSAY_RETURN_IF_ERROR(HandPairs(board, pairs, sink));
  return Hand(sink, "board", BoardJson(board, pairs));
}

}  // namespace assay
