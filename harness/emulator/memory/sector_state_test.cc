// SPDX-License-Identifier: Apache-2.0
// The states of a sector, access by access.
#include "emulator/memory/sector_state.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "emulator/memory/global_memory.h"
#include "emulator/memory/sector_shadow.h"

namespace assay::gpu {
namespace {

using enum BlockOrder;

struct Touched {
  TouchKind kind = TouchKind::kRead;
  std::uint32_t block = 0;
  std::uint32_t bytes = 0;
};
Touched Read(std::uint32_t block, std::uint32_t bytes) { return {TouchKind::kRead, block, bytes}; }
Touched Write(std::uint32_t block, std::uint32_t bytes) {
  return {TouchKind::kWrite, block, bytes};
}
Touched Update(std::uint32_t block, std::uint32_t bytes) {
  return {TouchKind::kAtomic, block, bytes};
}
Touched SyncRead(std::uint32_t block, std::uint32_t bytes) {
  return {TouchKind::kSyncRead, block, bytes};
}
Touched SyncWrite(std::uint32_t block, std::uint32_t bytes) {
  return {TouchKind::kSyncWrite, block, bytes};
}

struct Row {
  BlockOrder order = kIndependent;
  std::vector<Touched> before;  // From kUntouched.
  Touched access;
  // Each part as block: bytes, in hexadecimal, and which access was the first of it; "details"
  // where no state can say it.
  const char* after = "";
  const char* races = "";  // Told of the launch that ends with this access; see Races.
};

const std::vector<Row>& Table() {
  static const std::vector<Row> rows = {
      // Untouched.
      {kIndependent, {}, Read(1, 0xf), "one block 1:f#1 1:0 cold", ""},
      {kIndependent, {}, Write(1, 0xf), "one block 1:0 1:f#1", ""},
      {kIndependent, {}, Update(1, 0xf), "updaters 1:f#1 cold", ""},
      {kIndependent, {}, SyncRead(1, 0xf), "details", ""},
      {kIndependent, {}, SyncWrite(1, 0xf), "details", ""},
      // One block, which goes on.
      {kIndependent, {Read(1, 0xf)}, Read(1, 0xff), "one block 1:ff#1 1:0 cold", ""},
      {kIndependent, {Read(1, 0xf)}, Write(1, 0x3), "one block 1:f#1 1:3#2 cold", ""},
      {kIndependent, {Write(1, 0xf)}, Read(1, 0x3), "one block 1:3#2 1:f#1", ""},
      {kIndependent, {Write(1, 0xf)}, Read(1, 0x30), "one block 1:30#2 1:f#1 cold", ""},
      {kIndependent, {Write(1, 0xf)}, Write(1, 0xf0), "one block 1:0 1:ff#1", ""},
      {kIndependent,
       {Write(1, 0xf), Read(1, 0x3)},
       Read(1, 0xf0),
       "one block 1:f3#2 1:f#1 cold",
       ""},
      {kIndependent,
       {Read(1, 0xf), Write(1, 0x3)},
       Write(1, 0xc),
       "one block 1:f#1 1:f#2 cold",
       ""},
      {kIndependent, {Read(1, 0xf)}, Update(1, 0xf), "details", ""},
      {kIndependent, {Read(1, 0xf)}, SyncRead(1, 0xf), "details", ""},
      {kIndependent, {Read(1, 0xf)}, SyncWrite(1, 0xf), "details", ""},
      // One block, and another comes.
      {kIndependent, {Read(1, 0xf)}, Read(2, 0x3), "readers 1:f#1 2:3#2 cold", ""},
      {kIndependent, {Read(1, 0xf)}, Read(2, 0xff), "readers 2:ff#2 1:f#1 cold", ""},
      {kIndependent, {Read(1, 0xf)}, Read(2, 0x18), "details", ""},
      {kIndependent, {Write(1, 0xf)}, Read(2, 0xf0), "details", ""},
      {kIndependent, {Write(1, 0xf)}, Read(2, 0xf), "details", "RAW"},
      {kIndependent, {Read(1, 0xf)}, Write(2, 0xf), "details", "WAR"},
      {kIndependent, {Write(1, 0xf)}, Write(2, 0xf), "details", "WAW"},
      {kIndependent, {Write(1, 0xf)}, Write(2, 0xf0), "details", ""},
      {kIndependent, {Write(1, 0xf)}, Update(2, 0xf), "details", "mix"},
      {kIndependent, {Read(1, 0xf)}, Update(2, 0xf), "details", "mix?"},
      {kIndependent, {Read(1, 0xf)}, SyncRead(2, 0xf), "details", ""},
      {kIndependent, {Read(1, 0xf)}, SyncWrite(2, 0xf), "details", "mix"},
      // Readers.
      {kIndependent, {Read(1, 0xf), Read(2, 0x3)}, Read(1, 0x30), "readers 1:3f#1 2:3#2 cold", ""},
      {kIndependent, {Read(1, 0xf), Read(2, 0x3)}, Read(2, 0xc), "readers 1:f#1 2:f#2 cold", ""},
      {kIndependent, {Read(1, 0xf), Read(2, 0x3)}, Read(2, 0x30), "details", ""},
      {kIndependent, {Read(1, 0xf), Read(2, 0x3)}, Read(3, 0x3), "readers 1:f#1 2:3#2 cold", ""},
      {kIndependent, {Read(1, 0xf), Read(2, 0x3)}, Read(3, 0xc), "details", ""},
      {kIndependent, {Read(1, 0xf), Read(3, 0x3)}, Read(2, 0x3), "details", ""},
      {kIndependent, {Read(2, 0xf), Read(3, 0x3)}, Read(1, 0x3), "details", ""},
      {kIndependent, {Read(1, 0xf), Read(2, 0xf)}, Write(1, 0xf), "details", "RAW"},
      {kIndependent, {Read(1, 0xf), Read(2, 0xf)}, Write(3, 0xf), "details", "WAR"},
      {kIndependent, {Read(1, 0xf), Read(2, 0xf)}, Update(1, 0xf), "details", "mix?"},
      {kIndependent, {Read(1, 0xf), Read(2, 0xf)}, Update(3, 0xf), "details", "mix?"},
      {kIndependent, {Read(1, 0xf), Read(2, 0xf)}, SyncRead(1, 0xf), "details", ""},
      {kIndependent, {Read(1, 0xf), Read(2, 0xf)}, SyncRead(3, 0xf), "details", ""},
      {kIndependent, {Read(1, 0xf), Read(2, 0xf)}, SyncWrite(1, 0xf), "details", "mix"},
      {kIndependent, {Read(1, 0xf), Read(2, 0xf)}, SyncWrite(3, 0xf), "details", "mix"},
      {kSequential, {Read(1, 0xf), Read(3, 0x3)}, Read(2, 0xc), "readers 1:f#1 3:f#2 cold", ""},
      {kSequential, {Read(1, 0xf), Read(3, 0x3)}, Read(2, 0x10), "details", ""},
      {kSequential, {Read(1, 0xf), Read(2, 0xf)}, Write(1, 0xf), "details", "WAR?"},
      {kSequential, {Read(1, 0xf), Read(2, 0xf)}, Write(3, 0xf), "details", "WAR"},
      // Updaters.
      {kIndependent, {Update(1, 0xf)}, Update(1, 0xf0), "updaters 1:ff#1 cold", ""},
      {kIndependent, {Update(1, 0xf)}, Update(2, 0xf), "updaters 1:f#1 2:f#2 cold", ""},
      {kIndependent, {Update(1, 0xf)}, Update(2, 0xf0), "details", ""},
      {kIndependent,
       {Update(1, 0xff), Update(2, 0xf)},
       Update(2, 0xf0),
       "updaters 1:ff#1 2:ff#2 cold",
       ""},
      {kIndependent,
       {Update(1, 0xf), Update(2, 0xf)},
       Update(3, 0xf),
       "updaters 1:f#1 2:f#2 cold",
       ""},
      {kIndependent, {Update(2, 0xf), Update(3, 0xf)}, Update(1, 0xf), "details", ""},
      {kIndependent, {Update(1, 0xf)}, Read(1, 0xf), "details", ""},
      {kIndependent, {Update(1, 0xf)}, Read(2, 0xf), "details", "mix?"},
      {kIndependent, {Update(1, 0xf)}, Write(1, 0xf), "details", ""},
      {kIndependent, {Update(1, 0xf)}, Write(2, 0xf), "details", "mix"},
      {kIndependent, {Update(1, 0xf), Update(2, 0xf)}, Write(1, 0xf), "details", "mix"},
      {kIndependent, {Update(1, 0xf)}, SyncRead(1, 0xf), "details", ""},
      {kIndependent, {Update(1, 0xf)}, SyncRead(2, 0xf), "details", ""},
      {kIndependent, {Update(1, 0xf)}, SyncWrite(1, 0xf), "details", ""},
      {kIndependent, {Update(1, 0xf)}, SyncWrite(2, 0xf), "details", ""},
      {kSequential, {Update(2, 0xf)}, Update(1, 0xf), "updaters 2:f#1 1:f#2 cold", ""},
      {kSequential, {Update(1, 0xf), Update(2, 0xf)}, Write(1, 0xf), "details", "mix?"},
  };
  return rows;
}

std::string Text(const SectorPart& part) {
  std::string text = fmt::format(" {}:{:x}", PositionOf(part.tag), part.bytes);
  return part.bytes == 0 ? text : text + fmt::format("#{}", part.site >> 11);
}

std::string Text(const SectorState& state) {
  const bool one_block = state.sharing == Sharing::kOneBlock;
  std::string text = one_block                            ? "one block"
                     : state.sharing == Sharing::kReaders ? "readers"
                                                          : "updaters";
  text += Text(state.first);
  if (one_block || state.second.bytes != 0) {
    text += Text(state.second);
  }
  return state.cold ? text + " cold" : text;
}

SectorAccess AccessOf(const Touched& touched, std::size_t number) {
  return {.kind = touched.kind,
          .part = {.tag = TagOf(touched.block),
                   .bytes = touched.bytes,
                   .site = static_cast<std::uint32_t>(number) << 11}};
}

// One sector, and what is kept of it.
struct Sector {
  SectorRecord record;
  std::uint32_t site = ~0U;  // Nobody has to look at it.
  std::uint32_t second = ~0U;
  PackedSectors packed{.records = &record, .asides = {.sites = &site, .seconds = &second}};
};

// Makes all accesses of the row but its last.
SectorState Begin(Sector& sector, const Row& row) {
  for (std::size_t i = 0; i < row.before.size(); ++i) {
    EXPECT_TRUE(sector.packed.Advance(0, AccessOf(row.before[i], i + 1), row.order));
  }
  return sector.packed.Get(0);
}

bool End(const Sector& sector, const Row& row) {
  return sector.packed.Advance(0, AccessOf(row.access, row.before.size() + 1), row.order);
}

std::string NameOf(const Row& row, std::size_t index) {
  return fmt::format("row {}: {}", index, row.after);
}

TEST(SectorStateTest, EachAccessLeadsToTheTablesState) {
  for (std::size_t i = 0; i < Table().size(); ++i) {
    const Row& row = Table()[i];
    SCOPED_TRACE(NameOf(row, i));
    Sector sector;
    const SectorState before = Begin(sector, row);
    if (End(sector, row)) {
      EXPECT_EQ(Text(sector.packed.Get(0)), row.after);
    } else {
      EXPECT_STREQ(row.after, "details");
      EXPECT_EQ(sector.packed.Get(0), before);
    }
  }
}

TEST(SectorStateTest, TheTableHasEachKindOfAccessInEachState) {
  std::set<std::tuple<Sharing, TouchKind, bool>> seen;
  for (const Row& row : Table()) {
    Sector sector;
    const SectorState before = Begin(sector, row);
    seen.emplace(before.sharing, row.access.kind, TagOf(row.access.block) == before.first.tag);
  }
  EXPECT_EQ(seen.size(), kTouchKinds * (1 + 3 * 2));  // Nobody is the first of kUntouched.
}

TEST(SectorStateTest, WhatTheRecordSaysAloneIsWhatTheStateSays) {
  for (std::size_t i = 0; i < Table().size(); ++i) {
    const Row& row = Table()[i];
    SCOPED_TRACE(NameOf(row, i));
    Sector sector;
    Begin(sector, row);
    if (!End(sector, row)) {
      continue;
    }
    EXPECT_EQ(IsCold(sector.record), sector.packed.Get(0).cold);
    bool written = false;
    for (const BlockTouches& touches : TouchesOf(sector.packed.Get(0), kIndependent)) {
      written = written || touches.Bytes(TouchKind::kWrite) != 0 ||
                touches.Bytes(TouchKind::kAtomic) != 0;
    }
    EXPECT_EQ(IsWritten(sector.record), written);
  }
}

TEST(SectorStateTest, DetailedSectorsComeBackAsTheyWere) {
  const Sector sector;
  sector.packed.PutDetailed(0, {.index = 7, .settled = 0xf0, .written = true, .cold = true});
  EXPECT_EQ(sector.packed.Get(0), (SectorState{.sharing = Sharing::kDetails, .cold = true}));
  const DetailedSector detailed = sector.packed.GetDetailed(0);
  EXPECT_EQ(detailed.index, 7);
  EXPECT_EQ(detailed.settled, 0xf0);
  EXPECT_TRUE(detailed.written);
  EXPECT_TRUE(detailed.cold);
}

// The kinds of races, RAW for a read after a write; mix: with an atomic or volatile access. With a
// question mark: a warning, or one of which the other side is not known.
std::string Races(const FindingLog& log) {
  std::string text;
  for (const FindingRecord& record : log.records()) {
    const char* kind = record.kind == FindingKind::kReadAfterWrite    ? "RAW"
                       : record.kind == FindingKind::kWriteAfterRead  ? "WAR"
                       : record.kind == FindingKind::kWriteAfterWrite ? "WAW"
                                                                      : "mix";
    const bool doubtful = record.severity == Severity::kWarning || !record.has_other;
    text += (text.empty() ? "" : " ") + std::string(kind) + (doubtful ? "?" : "");
  }
  return text;
}

TEST(SectorStateTest, TheShadowTellsTheTablesRaces) {
  const auto memory = std::move(*GlobalMemory::Create(std::uint64_t{1} << 20, 0));
  const auto shadow = SectorShadow::Create(*memory);
  ASSERT_NE(shadow, nullptr);
  for (std::size_t i = 0; i < Table().size(); ++i) {
    const Row& row = Table()[i];
    SCOPED_TRACE(NameOf(row, i));
    FindingLog log;
    shadow->Begin(row.order, &log);
    std::vector<Touched> accesses = row.before;
    accesses.push_back(row.access);
    for (const Touched& touched : accesses) {
      shadow->Touch({.sector = 5,
                     .mask = touched.bytes,
                     .kind = touched.kind,
                     .position = touched.block,
                     .instruction = 1,
                     .thread = 0});
    }
    const std::array<SectorShadow*, 1> workers = {shadow.get()};
    SectorShadow::Finish(workers, log);
    EXPECT_EQ(Races(log), row.races);
  }
}

}  // namespace
}  // namespace assay::gpu
