// SPDX-License-Identifier: Apache-2.0
// Races are a matter of who touched what, not of which worker saw it: the same touches, dealt out
// to workers in many ways, give the same report.
#include "emulator/memory/sector_shadow.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

namespace assay::gpu {
namespace {

constexpr std::uint32_t kBlocks = 60;
constexpr std::uint32_t kSectors = 6;

using Blocks = std::vector<std::vector<SectorTouch>>;  // By position, in order of time.

// Few instructions, kinds and shapes of bytes, so that much of it collides. `shared`: how many of
// ten sectors are touched by everyone.
Blocks SomeTouches(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint32_t limit) {
    return static_cast<std::uint32_t>(random() % limit);
  };
  std::vector<std::uint32_t> styles(kSectors);
  std::ranges::generate(styles, [&] { return below(5); });
  Blocks blocks(kBlocks);
  for (std::uint32_t b = 0; b < kBlocks; ++b) {
    const std::uint32_t touches = below(8);
    for (std::uint32_t i = 0; i < touches; ++i) {
      SectorTouch touch{.sector = below(kSectors), .position = b};
      // Of a sector's style: readers, updates, a few writers among readers, anything.
      const std::uint32_t style = styles[touch.sector];
      touch.kind = style == 0                    ? TouchKind::kRead
                   : style == 1                  ? TouchKind::kAtomic
                   : style == 2 && below(9) != 0 ? TouchKind::kRead
                   : style == 3 && below(9) != 0 ? TouchKind::kAtomic
                                                 : static_cast<TouchKind>(below(5));
      const std::uint32_t shape = below(4);
      touch.mask = shape == 0   ? ~0U
                   : shape == 1 ? 0xffffU << (16 * below(2))
                   : shape == 2 ? 0xfU << (4 * below(8))
                                : 0xffU << (4 * below(7));
      touch.instruction = below(7);
      touch.thread = below(64);
      blocks[b].push_back(touch);
    }
  }
  return blocks;
}

struct Report {
  std::vector<FindingRecord> findings;
  CompulsoryTraffic traffic;
};

/// Block b on worker `worker_of`[b]. `together`: so many blocks of a worker take turns.
Report RunOn(const GlobalMemory& memory, const Blocks& blocks,
             const std::vector<std::uint32_t>& worker_of, std::uint32_t workers,
             std::size_t together) {
  std::vector<std::unique_ptr<SectorShadow>> shadows;
  std::vector<SectorShadow*> all;
  FindingLog log;
  for (std::uint32_t w = 0; w < workers; ++w) {
    shadows.push_back(SectorShadow::Create(memory));
    all.push_back(shadows.back().get());
    all.back()->Begin(BlockOrder::kIndependent, &log);
    std::vector<std::uint32_t> own;
    for (std::uint32_t b = 0; b < kBlocks; ++b) {
      if (worker_of[b] == w) {
        own.push_back(b);
      }
    }
    for (std::size_t first = 0; first < own.size(); first += together) {
      const std::size_t end = std::min(own.size(), first + together);
      for (std::size_t i = first; i < end; ++i) {
        all.back()->BeginBlock(own[i], own[i]);
      }
      for (std::size_t turn = 0; turn < 8; ++turn) {
        for (std::size_t i = end; i-- > first;) {
          if (turn < blocks[own[i]].size()) {
            all.back()->Touch(blocks[own[i]][turn]);
          }
        }
      }
      for (std::size_t i = first; i < end; ++i) {
        all.back()->EndBlock(own[i]);
      }
    }
  }
  Report report;
  report.traffic = SectorShadow::Finish(all, log);
  log.Sort();
  report.findings = log.records();
  return report;
}

void ExpectSame(const Report& a, const Report& b) {
  EXPECT_EQ(a.traffic.read_sectors, b.traffic.read_sectors);
  EXPECT_EQ(a.traffic.written_sectors, b.traffic.written_sectors);
  ASSERT_EQ(a.findings.size(), b.findings.size());
  for (std::size_t i = 0; i < a.findings.size(); ++i) {
    EXPECT_EQ(a.findings[i].kind, b.findings[i].kind);
    EXPECT_EQ(a.findings[i].severity, b.findings[i].severity);
    EXPECT_EQ(a.findings[i].site, b.findings[i].site);
    EXPECT_EQ(a.findings[i].other, b.findings[i].other);
    EXPECT_EQ(a.findings[i].address, b.findings[i].address);
    EXPECT_EQ(a.findings[i].count, b.findings[i].count);
  }
}

/// Whether any two blocks race: each pair of touches, one by one.
bool AnyRace(const Blocks& blocks) {
  std::vector<SectorTouch> all;
  for (const auto& block : blocks) {
    all.insert(all.end(), block.begin(), block.end());
  }
  for (const SectorTouch& a : all) {
    for (const SectorTouch& b : all) {
      if (a.sector == b.sector && a.position != b.position && (a.mask & b.mask) != 0 &&
          TouchesRace(a.kind, b.kind)) {
        return true;
      }
    }
  }
  return false;
}

TEST(SectorShadowTest, TheReportDoesNotDependOnWhichWorkerRanWhat) {
  const auto memory = std::move(*GlobalMemory::Create(std::uint64_t{256} << 20, 0));
  ASSERT_TRUE(memory->Allocate(1 << 20).has_value());
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    const Blocks blocks = SomeTouches(seed);
    const Report alone = RunOn(*memory, blocks, std::vector<std::uint32_t>(kBlocks, 0), 1, 1);
    EXPECT_EQ(alone.findings.empty(), !AnyRace(blocks));
    std::mt19937_64 random(seed);
    for (const std::uint32_t workers : {1U, 2U, 4U}) {
      for (const std::size_t together : {1U, 3U, 40U}) {
        std::vector<std::uint32_t> worker_of(kBlocks);
        std::ranges::generate(worker_of,
                              [&] { return static_cast<std::uint32_t>(random() % workers); });
        ExpectSame(RunOn(*memory, blocks, worker_of, workers, together), alone);
        if (HasFailure()) {
          return;
        }
      }
    }
  }
}

}  // namespace
}  // namespace assay::gpu
