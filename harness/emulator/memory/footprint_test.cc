// SPDX-License-Identifier: Apache-2.0
#include "emulator/memory/footprint.h"

#include <gtest/gtest.h>

namespace assay::gpu {
namespace {

TEST(Footprint, JoinsWhatFollowsOfOneInstruction) {
  Footprint footprint;
  footprint.AddSector(TouchKind::kWrite, 0, ~0U, 7);
  footprint.AddSector(TouchKind::kWrite, 32, 0xffU, 7);
  footprint.AddSector(TouchKind::kWrite, 64, 0xff0000f0U, 7);
  footprint.AddSector(TouchKind::kWrite, 96, 0xfU, 8);
  const auto& runs = footprint.runs(TouchKind::kWrite);
  ASSERT_EQ(runs.size(), 4U);
  EXPECT_EQ(runs[0].end, 40U);
  EXPECT_EQ(runs[1].begin, 68U);
  EXPECT_EQ(runs[1].end, 72U);
  EXPECT_EQ(runs[2].begin, 88U);
  EXPECT_EQ(runs[2].end, 96U);
  EXPECT_EQ(runs[3].instruction, 8U);
}

TEST(Footprint, RacesWhereABytesIsTouchedByBothAndOneWrites) {
  Footprint writer;
  writer.Add(TouchKind::kWrite, {.begin = 0, .end = 100, .instruction = 1});
  writer.Add(TouchKind::kWrite, {.begin = 200, .end = 300, .instruction = 2});
  Footprint reader;
  reader.Add(TouchKind::kRead, {.begin = 100, .end = 200, .instruction = 3});
  EXPECT_TRUE(RacesBetween(writer, reader).empty());
  EXPECT_TRUE(RacesBetween(reader, reader).empty());
  reader.Add(TouchKind::kRead, {.begin = 250, .end = 260, .instruction = 4});
  const auto races = RacesBetween(writer, reader);
  ASSERT_EQ(races.size(), 1U);
  EXPECT_EQ(races[0].earlier_instruction, 2U);
  EXPECT_EQ(races[0].later_instruction, 4U);
  EXPECT_EQ(races[0].address, 250U);
  EXPECT_EQ(races[0].size_bytes, 10U);
  // Memory that was given back belongs to nobody.
  reader.Erase(240, 255);
  EXPECT_EQ(RacesBetween(writer, reader)[0].address, 255U);
  reader.Erase(240, 270);
  EXPECT_TRUE(RacesBetween(writer, reader).empty());
}

TEST(Footprint, AtomicsRaceWithPlainAccessesAlone) {
  Footprint atomic;
  atomic.Add(TouchKind::kAtomic, {.begin = 0, .end = 4});
  Footprint plain;
  plain.Add(TouchKind::kWrite, {.begin = 0, .end = 4});
  EXPECT_TRUE(RacesBetween(atomic, atomic).empty());
  EXPECT_EQ(RacesBetween(atomic, plain).size(), 1U);
}

}  // namespace
}  // namespace assay::gpu
