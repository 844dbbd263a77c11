// SPDX-License-Identifier: Apache-2.0
#include "emulator/core/finding_log.h"

#include <gtest/gtest.h>

#include <utility>

namespace assay::gpu {
namespace {

FindingRecord At(std::uint32_t instruction, std::uint64_t position, std::uint32_t thread) {
  return {.kind = FindingKind::kOutOfBounds,
          .site = {.instruction = instruction, .thread = thread},
          .address = 64 * position + thread,
          .position = position};
}

TEST(FindingLog, CountsEqualFindingsAsOneAndKeepsTheFirstOfTheSchedule) {
  FindingLog log;
  log.Add(At(3, 7, 1));
  log.Add(At(3, 2, 9));
  log.Add(At(3, 2, 4));
  ASSERT_EQ(log.records().size(), 1U);
  EXPECT_EQ(log.records()[0].count, 3U);
  EXPECT_EQ(log.records()[0].position, 2U);
  EXPECT_EQ(log.records()[0].site.thread, 4U);
}

TEST(FindingLog, KeepsOfALaunchThatEndedWhatItsFirstBlocksFound) {
  for (const bool merged : {false, true}) {
    FindingLog log;
    FindingLog other;
    for (const std::uint64_t position : {9U, 4U, 4U, 7U}) {
      (merged ? other : log).Add(At(3, position, 0));
    }
    log.Add(At(5, 8, 0));
    log.MergeFrom(other);
    log.KeepUpTo(7);
    ASSERT_EQ(log.records().size(), 1U);
    EXPECT_EQ(log.records()[0].position, 4U);
    EXPECT_EQ(log.records()[0].count, 2U);
  }
}

TEST(FindingLog, TellsKindsInstructionsAndOtherSitesApart) {
  FindingLog log;
  log.Add(At(3, 0, 0));
  log.Add(At(4, 0, 0));
  FindingRecord misaligned = At(3, 0, 0);
  misaligned.kind = FindingKind::kMisaligned;
  log.Add(misaligned);
  FindingRecord race = At(3, 0, 0);
  race.has_other = true;
  race.other.instruction = 1;
  log.Add(race);
  race.other.instruction = 2;
  log.Add(race);
  EXPECT_EQ(log.records().size(), 5U);
}

TEST(FindingLog, ARaceIsOneInEitherOrder) {
  const auto race = [](FindingKind kind, std::uint32_t site, std::uint32_t other,
                       std::uint64_t position) {
    FindingRecord record = At(site, position, 0);
    record.kind = kind;
    record.has_other = true;
    record.other.instruction = other;
    return record;
  };
  const FindingRecord later = race(FindingKind::kReadAfterWrite, 1, 2, 5);
  const FindingRecord first = race(FindingKind::kWriteAfterRead, 2, 1, 3);
  for (const auto& [a, b] : {std::pair{later, first}, std::pair{first, later}}) {
    FindingLog log;
    log.Add(a);
    log.Add(b);
    ASSERT_EQ(log.records().size(), 1U);
    EXPECT_EQ(log.records()[0].kind, FindingKind::kWriteAfterRead);
    EXPECT_EQ(log.records()[0].count, 2U);
    log.Add(race(FindingKind::kWriteAfterWrite, 2, 1, 0));
    EXPECT_EQ(log.records().size(), 2U);
  }
}

TEST(FindingLog, MergesToTheSameInAnyOrder) {
  FindingLog a;
  a.Add(At(1, 5, 0));
  a.Add(At(2, 1, 0));
  FindingLog b;
  b.Add(At(2, 0, 3));
  b.Add(At(1, 6, 0));
  FindingLog ab = a;
  ab.MergeFrom(b);
  ab.Sort();
  FindingLog ba = b;
  ba.MergeFrom(a);
  ba.Sort();
  ASSERT_EQ(ab.records().size(), 2U);
  ASSERT_EQ(ba.records().size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(ab.records()[i].position, ba.records()[i].position);
    EXPECT_EQ(ab.records()[i].count, ba.records()[i].count);
    EXPECT_EQ(ab.records()[i].site, ba.records()[i].site);
  }
}

TEST(FindingLog, KeepsTheGravestSeverity) {
  FindingLog log;
  FindingRecord warning = At(1, 0, 0);
  warning.severity = Severity::kWarning;
  log.Add(warning);
  log.Add(At(1, 1, 0));
  EXPECT_EQ(log.records()[0].severity, Severity::kError);
}

}  // namespace
}  // namespace assay::gpu
