// SPDX-License-Identifier: Apache-2.0
#include "exec/shard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <limits>

#include "exec/evidence_store.h"
#include "spec/temporary_repository.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Held = CellLoad::Evidence;

CellLoad Load(const std::string& model, double seconds, Held evidence = Held::kStale) {
  return {.cell = {.model = model, .challenge = "adder"}, .seconds = seconds, .evidence = evidence};
}

TEST(ParseShard, TakesNumberAndCountAlone) {
  EXPECT_EQ(ParseShard("2/5"), (Shard{.number = 2, .count = 5}));
  EXPECT_EQ(ParseShard("1/1"), (Shard{.number = 1, .count = 1}));
  for (const char* wrong : {"", "2", "0/5", "6/5", "/5", "2/", "-1/5", "2/5/", "2 /5", "1/10001",
                            "1/99999999999999999999"}) {
    EXPECT_FALSE(ParseShard(wrong)) << wrong;
  }
}

TEST(CellsOfShard, HoldEachCellOnceWhateverTheOrder) {
  constexpr int kCells = 23;
  std::vector<CellLoad> loads;
  loads.reserve(kCells);
  for (int i = 0; i < kCells; ++i) {
    loads.push_back(Load("m" + std::to_string(i), i % 5, i % 3 == 0 ? Held::kHolds : Held::kStale));
  }
  std::vector<CellLoad> reversed(loads.rbegin(), loads.rend());
  std::vector<CellId> all;
  for (std::size_t number = 1; number <= 4; ++number) {
    const Shard shard{.number = number, .count = 4};
    const auto cells = CellsOfShard(loads, shard);
    EXPECT_EQ(cells, CellsOfShard(reversed, shard));
    std::ranges::copy(cells, std::back_inserter(all));
  }
  std::ranges::sort(all);
  EXPECT_EQ(all.size(), loads.size());
  EXPECT_EQ(std::ranges::unique(all).begin(), all.end());
}

TEST(CellsOfShard, AreOfEqualTimeNotOfEqualNumber) {
  const std::vector<CellLoad> loads = {Load("a", 10), Load("b", 10), Load("c", 10),
                                       Load("long", 30)};
  EXPECT_THAT(CellsOfShard(loads, {.number = 1, .count = 2}), ElementsAre(CellId{"long", "adder"}));
}

TEST(CellsOfShard, SpreadWhatIsToBeGradedFirst) {
  const std::vector<CellLoad> loads = {Load("held", 100, Held::kHolds), Load("a", 10),
                                       Load("b", 10)};
  const auto first = CellsOfShard(loads, {.number = 1, .count = 2});
  const auto second = CellsOfShard(loads, {.number = 2, .count = 2});
  EXPECT_THAT(first, ::testing::Contains(CellId{"a", "adder"}));
  EXPECT_THAT(second, ::testing::Contains(CellId{"b", "adder"}));
}

TEST(CellsOfShard, OfMoreShardsThanCellsSomeAreEmpty) {
  EXPECT_THAT(CellsOfShard({Load("a", 1)}, {.number = 2, .count = 2}), IsEmpty());
  EXPECT_THAT(CellsOfShard({}, {.number = 1, .count = 1}), IsEmpty());
}

TEST(SecondsOf, AddsBuildsCasesAndSamplesAndIsAlwaysANumber) {
  Evidence evidence;
  const double least = SecondsOf(evidence);
  EXPECT_GT(least, 0);
  evidence.release.seconds = 2;
  evidence.suite.cases.emplace_back().seconds = 3;
  evidence.bench.workloads.emplace_back().blocks = {{.pairs = {{3'000'000'000, 1'000'000'000}}}};
  EXPECT_DOUBLE_EQ(SecondsOf(evidence), least + 9);
  evidence.sanitized.seconds = std::numeric_limits<double>::quiet_NaN();
  EXPECT_GT(SecondsOf(evidence), 0);
  evidence.sanitized.seconds = -1e9;
  EXPECT_DOUBLE_EQ(SecondsOf(evidence), least);
}

TEST(LoadsOf, AreTakenFromEvidenceElseFromTheChallengeElseFromTheBudget) {
  const TemporaryRepository files;
  files.Write("build/inputs/adder.sources", "challenges/adder/interface.h\n");
  const InputPlaces places{.folder = files.root() / "build/inputs", .sources = files.root()};
  const LoadedRepository loaded = LoadRepository(files.root());
  const std::vector<CellId> cells = {{"right", "adder"}, {"wrong", "adder"}};
  const auto loads = [&] {
    InputReader reader(places);
    return LoadsOf(loaded.repository, cells, reader).value_or(std::vector<CellLoad>{});
  };
  ASSERT_EQ(loads().size(), 2U);
  EXPECT_EQ(loads()[0].seconds, 90);
  EXPECT_EQ(loads()[0].evidence, Held::kStale);

  InputReader reader(places);
  Evidence evidence;
  evidence.model = "right";
  evidence.challenge = "adder";
  evidence.verdict = Verdict::kAccepted;
  evidence.release = {
      .verdict = Verdict::kAccepted, .diagnostics = "", .warnings = 0, .seconds = 7};
  evidence.suite.cases = {{.name = "Sum.Small",
                           .tags = {"sum"},
                           .verdict = Verdict::kAccepted,
                           .gates = true,
                           .detail = "",
                           .error_over_bound = {},
                           .seconds = 0}};
  evidence.digests =
      ToDigests(*reader.Read(files.root(), *FindSubmission(loaded.repository, cells[0])));
  ASSERT_TRUE(SaveEvidence(files.root(), evidence).has_value());
  EXPECT_EQ(loads()[0].seconds, SecondsOf(evidence));
  EXPECT_EQ(loads()[0].evidence, Held::kHolds);
  EXPECT_EQ(loads()[1].seconds, SecondsOf(evidence));
  EXPECT_EQ(loads()[1].evidence, Held::kStale);
  files.Write("submissions/right/adder/add.cc", "// edited\n");
  EXPECT_EQ(loads()[0].evidence, Held::kStale);
}

}  // namespace
}  // namespace assay
