// SPDX-License-Identifier: Apache-2.0
#include "emulator/memory/footprint.h"

#include <algorithm>
#include <bit>

namespace assay::gpu {
namespace {

constexpr std::array<TouchKind, kTouchKinds> kKinds = {TouchKind::kRead, TouchKind::kWrite,
                                                       TouchKind::kAtomic, TouchKind::kSyncRead,
                                                       TouchKind::kSyncWrite};

std::optional<FootprintRace> FirstOverlap(const Footprint& earlier, TouchKind earlier_kind,
                                          const Footprint& later, TouchKind later_kind) {
  const auto& a = earlier.runs(earlier_kind);
  const auto& b = later.runs(later_kind);
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const std::uint64_t begin = std::max(a[i].begin, b[j].begin);
    const std::uint64_t end = std::min(a[i].end, b[j].end);
    if (begin < end) {
      return FootprintRace{.earlier_kind = earlier_kind,
                           .later_kind = later_kind,
                           .earlier_instruction = a[i].instruction,
                           .later_instruction = b[j].instruction,
                           .address = begin,
                           .size_bytes = end - begin};
    }
    if (a[i].end < b[j].end) {
      ++i;
    } else {
      ++j;
    }
  }
  return std::nullopt;
}

}  // namespace

void Footprint::Add(TouchKind kind, const Run& run) {
  auto& runs = runs_[static_cast<std::size_t>(kind)];
  if (!runs.empty() && runs.back().end == run.begin && runs.back().instruction == run.instruction) {
    runs.back().end = run.end;
    return;
  }
  runs.push_back(run);
}

void Footprint::AddSector(TouchKind kind, std::uint64_t address, std::uint32_t bytes,
                          std::uint32_t instruction) {
  while (bytes != 0) {
    const auto first = static_cast<std::uint32_t>(std::countr_zero(bytes));
    const auto count = static_cast<std::uint32_t>(std::countr_one(bytes >> first));
    Add(kind,
        {.begin = address + first, .end = address + first + count, .instruction = instruction});
    bytes &= static_cast<std::uint32_t>(~(((std::uint64_t{1} << count) - 1) << first));
  }
}

void Footprint::Erase(std::uint64_t begin, std::uint64_t end) {
  for (auto& runs : runs_) {
    const bool touched = std::ranges::any_of(
        runs, [&](const Run& run) { return run.begin < end && begin < run.end; });
    if (!touched) {
      continue;
    }
    std::vector<Run> kept;
    for (const Run& run : runs) {
      Run before = run;
      Run after = run;
      before.end = std::min(run.end, begin);
      after.begin = std::max(run.begin, end);
      for (const Run& part : {before, after}) {
        if (part.begin < part.end) {
          kept.push_back(part);
        }
      }
    }
    runs = std::move(kept);
  }
}

std::size_t Footprint::size() const {
  std::size_t size = 0;
  for (const auto& runs : runs_) {
    size += runs.size();
  }
  return size;
}

std::vector<FootprintRace> RacesBetween(const Footprint& earlier, const Footprint& later) {
  std::vector<FootprintRace> races;
  for (const TouchKind a : kKinds) {
    for (const TouchKind b : kKinds) {
      if (!TouchesRace(a, b)) {
        continue;
      }
      if (const auto race = FirstOverlap(earlier, a, later, b)) {
        races.push_back(*race);
      }
    }
  }
  return races;
}

}  // namespace assay::gpu
