// SPDX-License-Identifier: Apache-2.0
// Features of a cache in pairs: tag `combinations`. A case is one history of calls; its rows are a
// covering array of everything else (suite_script.h), drawn anew from each seed: each history meets
// every pair of other features that the submission reports.

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/covering_array.h"
#include "suite_script.h"
#include "suite_support.h"

namespace assay::kvcache {
namespace {

void Fresh(Script& script) {
  script.Store(0, script.tokens());
  script.Look({0});
  script.Store(0, 2);
  script.Look({0, 1});
}

void FreedAndUsedAgain(Script& script) {
  script.Store(0, script.tokens() + 5);
  script.Look({0});
  for (const std::size_t tokens : {script.tokens(), std::size_t{2}}) {
    script.Free(0);
    script.Store(0, tokens);
    script.Look({0});
  }
}

void SequencesAmongEachOther(Script& script) {
  script.Store(0, script.tokens());
  script.Store(2, 4);
  for (int round = 0; round < 4; ++round) {
    script.AppendTo({0, 2, 1, 0, 2});
    script.Look({2, 0, 1, 3});
  }
}

void ChildStores(Script& script) {
  script.Store(0, script.tokens());
  script.Fork(0, 1);
  script.Look({0, 1});
  script.Store(1, 3);
  script.Look({0, 1});
  script.Store(0, 2);
  script.Look({1, 0});
}

void ParentStores(Script& script) {
  script.Store(0, script.tokens());
  script.Fork(0, 3);
  script.Store(0, 3);
  script.Look({3, 0});
  script.AppendTo({3, 0, 3});
  script.Look({0, 3});
}

void ForkOfAFork(Script& script) {
  script.Store(0, script.tokens());
  script.Fork(0, 1);
  script.Store(1, 2);
  script.Fork(1, 2);
  script.Fork(0, 3);
  script.Store(2, 3);
  script.Store(3, 1);
  script.Look({0, 1, 2, 3});
  script.Free(1);
  script.Store(1, 4);
  script.Look({3, 2, 1, 0});
}

void ParentIsFreed(Script& script) {
  script.Store(0, script.tokens());
  script.Fork(0, 1);
  script.Free(0);
  script.Look({1});
  script.Store(0, script.tokens());
  script.Store(1, 2);
  script.Look({0, 1});
}

/// Four share, and go one after the other; what they leave is used while others still share it.
void SharersFreedInTurn(Script& script) {
  script.Store(0, script.tokens());
  script.Fork(0, 1);
  script.Fork(0, 2);
  script.Fork(1, 3);
  std::vector<std::int32_t> sharers = {0, 1, 2, 3};
  script.Shuffle(sharers);
  const std::int32_t first = sharers.back();
  while (!sharers.empty()) {
    script.Free(sharers.back());
    sharers.pop_back();
    script.AppendTo({first});
    script.Look(sharers.empty() ? std::vector{first} : sharers);
  }
  script.Store(first, 6);
  script.Look({first});
}

void SharersStoreInOneCall(Script& script) {
  script.Store(0, script.tokens());
  for (const std::int32_t child : {1, 2, 3}) {
    script.Fork(0, child);
  }
  script.AppendTo({2, 0, 3, 1, 2});
  script.Look({0, 1, 2, 3});
}

/// Too much for the sequence by one, in every way; then as much as fits.
void AfterRefusals(Script& script) {
  const auto room = static_cast<std::size_t>(Script::kSpare);
  script.Store(0, script.tokens());
  script.Append(0, 0, room + 1);
  script.Look({0});
  std::vector<std::int32_t> both(room + 3, 0);
  both.front() = both[1] = 1;
  script.AppendTo(both);
  script.Prefill(0, 1, script.tokens() + room + 1);
  if (script.TakesChunks()) {
    script.Prefill(0, 0, room + 1);
  }
  script.Look({0, 1});
  script.Store(1, 1);
  script.Append(0, 0, room);
  script.AppendTo({1, 0});
  script.Look({0, 1});
}

void EmptyPool(Script& script) {
  const std::size_t page = script.PageSize();
  script.LeavePages(1);
  script.Begin();
  script.Store(0, script.tokens());
  script.Append(0, 1, page + 1);
  script.Prefill(0, 2, page + 1);
  script.AppendTo({1, 2});
  script.Look({0, 1, 2});
  script.AppendTo({1});
  script.Look({0, 1});
  script.AppendTo({0, 2});
  script.Free(1);
  script.Store(2, 1);
  script.Look({2, 0});
}

/// One page is left for the copy of a shared one, and none for what comes with it.
void EmptyPoolAfterACopy(Script& script) {
  const std::size_t page = script.PageSize();
  script.LeavePages(1);
  script.Begin();
  script.Store(0, script.tokens());
  script.Fork(0, 1);
  script.Append(0, 1, page + 1);
  script.Append(0, 0, page + 1);
  script.AppendTo({1, 1, 2});
  script.Look({0, 1});
  script.AppendTo({1});
  script.Look({0, 1});
  script.Append(0, 0, page + 1);
  script.AppendTo({0, 2});
  script.Look({1, 0});
  script.Free(0);
  script.Append(0, 1, 1);
  script.Fork(1, 2);
  script.AppendTo({2});
  script.Look({1, 2});
}

/// What is too long for the sequence, where the pool has nothing either: the first is said.
void CapacityAndPoolAtTheirEnd(Script& script) {
  const auto room = static_cast<std::size_t>(Script::kSpare);
  script.LeavePages(0);
  script.Begin();
  script.Store(0, script.tokens());
  script.Append(0, 0, room + 1);
  for (const bool is_first : {true, false}) {
    std::vector<std::int32_t> both(room + 1, 0);
    both.insert(is_first ? both.begin() : both.end(), 1);
    script.AppendTo(both);
  }
  script.Prefill(0, 1, script.tokens() + room + 1);
  script.Prefill(0, 1, script.tokens() + room);
  script.AppendTo({1});
  script.Look({0, 1});
}

struct CallHistory {
  std::string_view name;
  void (*write)(Script&);
  enum class Needs : std::uint8_t { kNothing, kForks, kPages, kForksAndPages } needs;

  [[nodiscard]] bool Forks() const {
    return needs == Needs::kForks || needs == Needs::kForksAndPages;
  }
  /// Those begin by themselves, with a pool of their own.
  [[nodiscard]] bool InPages() const {
    return needs == Needs::kPages || needs == Needs::kForksAndPages;
  }
};
using Needs = CallHistory::Needs;

constexpr CallHistory kHistories[] = {
    {"Fresh", Fresh, Needs::kNothing},
    {"FreedAndUsedAgain", FreedAndUsedAgain, Needs::kNothing},
    {"SequencesAmongEachOther", SequencesAmongEachOther, Needs::kNothing},
    {"AfterRefusals", AfterRefusals, Needs::kNothing},
    {"ChildStores", ChildStores, Needs::kForks},
    {"ParentStores", ParentStores, Needs::kForks},
    {"ForkOfAFork", ForkOfAFork, Needs::kForks},
    {"ParentIsFreed", ParentIsFreed, Needs::kForks},
    {"SharersFreedInTurn", SharersFreedInTurn, Needs::kForks},
    {"SharersStoreInOneCall", SharersStoreInOneCall, Needs::kForks},
    {"EmptyPool", EmptyPool, Needs::kPages},
    {"CapacityAndPoolAtTheirEnd", CapacityAndPoolAtTheirEnd, Needs::kPages},
    {"EmptyPoolAfterACopy", EmptyPoolAfterACopy, Needs::kForksAndPages},
};

class Covering : public KvCacheTest, public testing::WithParamInterface<CallHistory> {
 protected:
  void SetUp() override {
    KvCacheTest::SetUp();
    Tag({"combinations"});
    if (GetParam().Forks()) {
      Need({KV_CAN_FORK});
      NeedOptionalOperation("kv_fork");
    }
    if (GetParam().InPages()) {
      Need({KV_CAN_PAGED});
    }
  }

  /// Whether what is chosen of a row is reported, and small enough.
  bool IsAllowed(const Row& row) {
    const bool has_narrow_pair =
        row.IsGrouped() || row.IsPaged() || row.IsInChunks() || GetParam().Forks();
    const bool is_hybrid =
        (row.IsNarrow() && has_narrow_pair) || (row.IsPaged() && row.IsInChunks());
    const bool has_place =
        !GetParam().InPages() || row.IsPaged() || !row.IsChosen(Dimension::kPlace);
    return HasAll(row.Capabilities() | (is_hybrid ? KV_CAN_HYBRID : 0)) && has_place &&
           !row.IsTooLarge();
  }

  void ExpectRowRight(const FeatureChoice& choice, const std::string& name) {
    Script script(choice, random());
    if (!GetParam().InPages()) {
      script.Begin();
    }
    GetParam().write(script);
    const bool is_unit = Row(choice).At(Dimension::kScale) == 0;
    const auto failure =
        RunOperations(Link(), script.config(), script.operations(),
                      is_unit ? Precision::kOnAverageToo : Precision::kOfEachElement);
    if (!failure || failure->what.verdict == Verdict::kSkipped) {
      return;
    }
    std::vector<Operation> operations = script.operations();
    operations.resize(std::min(operations.size(), failure->at + 1));
    NoteReproduction(fmt::format("create({}) {}", Describe(script.config()),
                                 Describe(script.config(), operations)));
    FailCase({failure->what.verdict,
              fmt::format("{} ({}), call {}: {}", name, DescribeChoice(Features(), choice),
                          failure->at + 1, failure->what.detail)});
  }
};

TEST_P(Covering, EveryPair) {
  const auto rows = CoveringArray(
      Features(), {}, [this](std::span<const int> choice) { return IsAllowed(Row(choice)); },
      random()());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ExpectRowRight(rows[i], fmt::format("row {} of {}", i + 1, rows.size()));
  }
}

INSTANTIATE_TEST_SUITE_P(Histories, Covering, testing::ValuesIn(kHistories),
                         [](const auto& history) { return std::string(history.param.name); });

}  // namespace
}  // namespace assay::kvcache
