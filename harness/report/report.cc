// SPDX-License-Identifier: Apache-2.0
#include "report/report.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>

#include "report/board.h"
#include "report/lookup.h"
#include "report/pages.h"
#include "report/words.h"
#include "score/on_all_cores.h"

namespace assay {
namespace {

/// A file that is yet to be rendered.
struct Page {
  std::string path;
  std::function<Markdown()> render;
};

/// Those of all models together first: they take longest.
std::vector<Page> PagesOf(const Board& board, const std::vector<OtherPage>& others) {
  std::vector<Page> pages = {
      {.path = "scoreboard.md", .render = [&] { return ScoreboardPage(board); }},
      {.path = "overall_summary.md", .render = [&] { return SummaryPage(board); }},
      {.path = "summary_matrix.md", .render = [&] { return SummaryMatrixPage(board); }},
      {.path = "README.md", .render = [&] { return IndexPage(board, others); }}};
  for (const ChallengeBoard& challenge : board.challenges) {
    pages.push_back({.path = "challenges/" + challenge.view->spec.id + ".md",
                     .render = [&] { return ChallengePage(challenge); }});
  }
  for (const ModelStanding& standing : board.standings) {
    pages.push_back(
        {.path = ModelPath(standing.model), .render = [&] { return ModelPage(board, standing); }});
  }
  for (const ModelPair& pair : board.pairs) {
    const std::string& a = std::min(pair.a, pair.b);
    const std::string& b = std::max(pair.a, pair.b);
    pages.push_back(
        {.path = MatchupPath(a, b), .render = [&] { return MatchupPage(board, a, b); }});
    pages.push_back({.path = RoundPath(a, b), .render = [&] { return RoundPage(board, a, b); }});
  }
  return pages;
}

}  // namespace

RenderedFiles RenderAll(const std::vector<Evidence>& cells, const Challenges& challenges,
                        const std::vector<OtherPage>& others, const std::vector<ModelPair>& asked) {
  return RenderAll(MakeBoard(cells, challenges, asked), others);
}

RenderedFiles RenderAll(const Board& board, const std::vector<OtherPage>& others) {
  std::vector<Page> pages = PagesOf(board, others);
  std::vector<std::string> texts(pages.size());
  OnAllCores(pages.size(), [&](std::size_t i) { texts[i] = pages[i].render().text(); });
  RenderedFiles files;
  for (std::size_t i = 0; i < pages.size(); ++i) {
    files.emplace(std::move(pages[i].path), std::move(texts[i]));
  }
  return files;
}

Result<std::string> RenderCompare(const std::vector<Evidence>& cells, const Challenges& challenges,
                                  std::string_view model_a, std::string_view model_b) {
  ASSAY_RETURN_IF_ERROR(CheckModels(cells, model_a, model_b));
  const std::vector<ModelPair> asked = {{.a = std::string(model_a), .b = std::string(model_b)}};
  return MatchupPage(MakeBoard(cells, challenges, asked), model_a, model_b).text();
}

}  // namespace assay
