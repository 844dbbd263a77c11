// SPDX-License-Identifier: Apache-2.0
#include "emulator/device/stream_races.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace assay::gpu {
namespace {

constexpr std::uint64_t kDefaultStream = 1;

std::string NameOf(std::uint64_t stream) {
  return stream == kDefaultStream ? "the default stream" : fmt::format("stream {}", stream);
}

std::uint64_t At(const StreamClock& clock, std::uint64_t stream) {
  const auto found = clock.find(stream);
  return found == clock.end() ? 0 : found->second;
}

bool MayBeBeside(const StreamWork& earlier, const StreamWork& later) {
  return earlier.stamp.stream != later.stamp.stream &&
         earlier.stamp.number > At(later.stamp.behind, earlier.stamp.stream);
}

AccessKind AccessOfTouch(TouchKind kind) {
  if (kind == TouchKind::kAtomic) {
    return AccessKind::kAtomic;
  }
  return TouchWrites(kind) ? AccessKind::kWrite : AccessKind::kRead;
}

Site SiteIn(const StreamWork& work, std::uint32_t instruction, TouchKind kind) {
  const auto found = work.sites.find(instruction);
  Site site = found == work.sites.end() ? Site{} : found->second;
  site.access = AccessOfTouch(kind);
  return site;
}

Finding FindingOf(const StreamWork& earlier, const StreamWork& later, const FootprintRace& race) {
  constexpr std::uint64_t kMostBytes = std::numeric_limits<std::uint32_t>::max();
  Finding finding;
  finding.checker = Checker::kRacecheck;
  finding.kind = RaceKind(race.earlier_kind, race.later_kind);
  finding.severity = RaceSeverity(race.earlier_kind, race.later_kind);
  finding.kernel = later.name;
  finding.other_kernel = earlier.name;
  finding.stream = NameOf(later.stamp.stream);
  finding.other_stream = NameOf(earlier.stamp.stream);
  finding.launch = later.launch;
  finding.site = SiteIn(later, race.later_instruction, race.later_kind);
  finding.other = SiteIn(earlier, race.earlier_instruction, race.earlier_kind);
  finding.space = MemorySpace::kGlobal;
  finding.address = race.address;
  finding.size_bytes = static_cast<std::uint32_t>(std::min(race.size_bytes, kMostBytes));
  finding.note =
      "nothing orders them: let one stream wait for an event of the other (cudaStreamWaitEvent), "
      "or the host for the first";
  return finding;
}

}  // namespace

std::vector<Finding> StreamRaces::Add(StreamWork work) {
  DropWhatIsOver(work.stamp);
  std::vector<Finding> findings;
  for (const StreamWork& earlier : works_) {
    if (!MayBeBeside(earlier, work)) {
      continue;
    }
    for (const FootprintRace& race : RacesBetween(earlier.footprint, work.footprint)) {
      findings.push_back(FindingOf(earlier, work, race));
    }
  }
  works_.push_back(std::move(work));
  DropTheOldest();
  return findings;
}

void StreamRaces::Forget(std::uint64_t begin, std::uint64_t end) {
  for (StreamWork& work : works_) {
    work.footprint.Erase(begin, end);
  }
}

void StreamRaces::DropWhatIsOver(const WorkStamp& stamp) {
  std::erase_if(works_, [&](const StreamWork& work) {
    return work.stamp.number <= stamp.waited_for_all ||
           work.stamp.number <= At(stamp.waited, work.stamp.stream);
  });
}

void StreamRaces::DropTheOldest() {
  std::size_t runs = 0;
  for (const StreamWork& work : works_) {
    runs += work.footprint.size();
  }
  while (runs > kMostRuns) {
    runs -= works_.front().footprint.size();
    works_.pop_front();
  }
}

}  // namespace assay::gpu
