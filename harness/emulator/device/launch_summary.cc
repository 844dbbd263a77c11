// SPDX-License-Identifier: Apache-2.0
#include "emulator/device/launch_summary.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "emulator/core/program.h"
#include "emulator/memory/checker_state.h"
#include "emulator/model/roofline.h"

namespace assay::gpu {
namespace {

using ptx::Opcode;
using ptx::Space;
using ptx::Type;

bool Touched(const AccessCounters& access) { return access.requests != 0; }

// Whether each lane that took part did so with 16 bytes. Not by how often the instruction was
// reached, which counts lanes that its guard leaves out.
bool TakesSixteenBytes(const AccessCounters& access) { return access.bytes == 16 * access.threads; }

// From device memory to shared memory, or from there.
void AddAsyncCopy(Space from, const AccessCounters& access, LaunchCounters& counters) {
  const AccessCounters half{
      .requests = access.requests / 2, .threads = access.threads / 2, .bytes = access.bytes / 2};
  AccessCounters global = half;
  global.sectors = access.sectors;
  global.ideal_sectors = access.ideal_sectors;
  AccessCounters shared = half;
  shared.wavefronts = access.wavefronts;
  shared.ideal_wavefronts = access.ideal_wavefronts;
  if (from == Space::kShared) {
    counters.shared_load += shared;
    counters.global_store += global;
    return;
  }
  counters.global_load += global;
  counters.shared_store += shared;
  if (TakesSixteenBytes(access)) {
    // What is filled with zeros is only written, and touches no sector.
    counters.vector16_load_bytes += std::min(global.bytes, kSectorBytes * global.sectors);
  }
}

bool IsShared(const InstructionInfo& info, const AccessCounters& access) {
  return info.space == Space::kShared || info.opcode == Opcode::kLdmatrix ||
         info.opcode == Opcode::kStmatrix ||
         (info.space == Space::kGeneric && access.sectors == 0 && access.wavefronts != 0);
}

bool Stores(const InstructionInfo& info) {
  return info.opcode == Opcode::kSt || info.opcode == Opcode::kStmatrix ||
         (info.opcode == Opcode::kWmma && info.spelling.starts_with("wmma.store"));
}

void AddAccess(const InstructionInfo& info, const AccessCounters& access,
               LaunchCounters& counters) {
  if (!Touched(access) || info.space == Space::kConst || info.space == Space::kParam) {
    return;
  }
  if (ptx::IsAsyncCopy(info.opcode)) {
    AddAsyncCopy(info.space, access, counters);
  } else if (info.space == Space::kLocal) {
    (Stores(info) ? counters.local_store : counters.local_load) += access;
  } else if (info.opcode == Opcode::kAtom || info.opcode == Opcode::kRed) {
    if (IsShared(info, access)) {
      counters.shared_atomic += access;
    } else {
      (info.opcode == Opcode::kAtom ? counters.global_atomic : counters.global_reduction) += access;
    }
  } else if (IsShared(info, access)) {
    (Stores(info) ? counters.shared_store : counters.shared_load) += access;
  } else if (Stores(info)) {
    counters.global_store += access;
  } else {
    counters.global_load += access;
    // Only of loads that say where they lead: generic ones may lead to a thread's own memory too.
    const bool is_load = info.opcode == Opcode::kLd || info.opcode == Opcode::kLdu;
    if (is_load && info.space == Space::kGlobal && TakesSixteenBytes(access)) {
      counters.vector16_load_bytes += access.bytes;
    }
  }
}

// Floating-point operations of a thread; of mma, of a warp.
std::uint64_t FlopsOf(const InstructionInfo& info) {
  switch (info.opcode) {
    case Opcode::kAdd:
    case Opcode::kSub:
    case Opcode::kMul:
      return 1;
    case Opcode::kFma:
    case Opcode::kMad:
      return 2;
    case Opcode::kMma:
    case Opcode::kWmma:
      return info.matrix_flops;
    default:
      return 0;
  }
}

void AddFlops(const InstructionInfo& info, const BlockCount& count, LaunchCounters& counters) {
  const std::uint64_t flops = FlopsOf(info);
  if (info.opcode == Opcode::kMma || info.opcode == Opcode::kWmma) {
    counters.flops[static_cast<std::size_t>(FlopKind::kTensor)] += flops * count.warps;
    return;
  }
  switch (info.type) {
    case Type::kF64:
      counters.flops[static_cast<std::size_t>(FlopKind::kF64)] += flops * count.threads;
      break;
    case Type::kF32:
      counters.flops[static_cast<std::size_t>(FlopKind::kF32)] += flops * count.threads;
      break;
    case Type::kF16:
    case Type::kBf16:
      counters.flops[static_cast<std::size_t>(FlopKind::kF16)] += flops * count.threads;
      break;
    case Type::kF16x2:
    case Type::kBf16x2:
      counters.flops[static_cast<std::size_t>(FlopKind::kF16)] += 2 * flops * count.threads;
      break;
    default:
      break;
  }
}

bool IsSpecialFunction(const InstructionInfo& info) {
  switch (info.opcode) {
    case Opcode::kEx2:
    case Opcode::kLg2:
    case Opcode::kSin:
    case Opcode::kCos:
    case Opcode::kTanh:
    case Opcode::kRsqrt:
    case Opcode::kRcp:
    case Opcode::kSqrt:
      return true;
    case Opcode::kDiv:
      return ptx::IsFloat(info.type);
    default:
      return false;
  }
}

bool IsShuffle(Opcode opcode) {
  return opcode == Opcode::kShfl || opcode == Opcode::kVote || opcode == Opcode::kMatch ||
         opcode == Opcode::kRedux;
}

bool IsBranch(Opcode opcode) { return opcode == Opcode::kBra || opcode == Opcode::kBrx; }

Checker CheckerOf(FindingKind kind) {
  switch (kind) {
    case FindingKind::kReadAfterWrite:
    case FindingKind::kWriteAfterRead:
    case FindingKind::kWriteAfterWrite:
    case FindingKind::kAtomicMix:
      return Checker::kRacecheck;
    case FindingKind::kUninitialized:
      return Checker::kInitcheck;
    case FindingKind::kDivergentBarrier:
    case FindingKind::kInvalidMask:
    case FindingKind::kInactiveSource:
    case FindingKind::kInvalidBarrier:
    case FindingKind::kDeadlock:
      return Checker::kSynccheck;
    default:
      return Checker::kMemcheck;
  }
}

AccessKind AccessOf(const InstructionInfo& info) {
  switch (info.opcode) {
    case Opcode::kLd:
    case Opcode::kLdu:
    case Opcode::kLdmatrix:
      return AccessKind::kRead;
    case Opcode::kSt:
    case Opcode::kStmatrix:
    case Opcode::kCpAsync:
    case Opcode::kCpAsyncBulk:
      return AccessKind::kWrite;
    case Opcode::kAtom:
    case Opcode::kRed:
      return AccessKind::kAtomic;
    default:
      return AccessKind::kNone;
  }
}

Site SiteOf(const Launch& launch, const ThreadSite& at) {
  Site site;
  site.block = IndexIn(launch.grid, at.block);
  site.thread = IndexIn(launch.block, at.thread);
  site.access = at.access;
  const Program& program = *launch.program;
  if (at.instruction >= program.instructions.size()) {
    return site;
  }
  const InstructionInfo& info = program.instructions[at.instruction];
  site.instruction = info.spelling;
  site.ptx_line = info.ptx_line;
  if (site.access == AccessKind::kNone) {
    site.access = AccessOf(info);
  }
  if (info.source.line != 0 && info.source.file < program.files.size()) {
    site.file = program.files[info.source.file];
    site.line = info.source.line;
  }
  return site;
}

}  // namespace

std::map<std::uint32_t, Site> SitesOf(const Launch& launch, const Footprint& footprint) {
  std::map<std::uint32_t, Site> sites;
  for (std::size_t kind = 0; kind < kTouchKinds; ++kind) {
    for (const Footprint::Run& run : footprint.runs(static_cast<TouchKind>(kind))) {
      const auto [at, is_new] = sites.try_emplace(run.instruction);
      if (is_new) {
        at->second = SiteOf(launch, {.instruction = run.instruction});
        at->second.block = {};
        at->second.thread = {};
      }
    }
  }
  return sites;
}

LaunchCounters CountersOf(const Program& program, const LaunchResult& result) {
  LaunchCounters counters = result.traffic;
  for (std::size_t i = 0; i < program.instructions.size(); ++i) {
    const InstructionInfo& info = program.instructions[i];
    const BlockCount& count = result.blocks[info.basic_block];
    if (count.warps == 0) {
      continue;
    }
    counters.warp_instructions += count.warps;
    counters.thread_instructions += count.threads;
    counters.mix[info.spelling] += count.threads;
    counters.branches += IsBranch(info.opcode) ? count.warps : 0;
    counters.divergent_branches += result.divergent[i];
    counters.barriers += info.opcode == Opcode::kBar ? count.warps : 0;
    counters.shuffles += IsShuffle(info.opcode) ? count.warps : 0;
    counters.special_function_ops += IsSpecialFunction(info) ? count.threads : 0;
    AddFlops(info, count, counters);
    AddAccess(info, result.accesses[i], counters);
  }
  return counters;
}

std::vector<LineCounters> LinesOf(const Program& program, const LaunchResult& result) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, LineCounters> lines;
  for (std::size_t i = 0; i < program.instructions.size(); ++i) {
    const InstructionInfo& info = program.instructions[i];
    if (info.source.line == 0 || info.source.file >= program.files.size()) {
      continue;
    }
    LineCounters& line = lines[{info.source.file, info.source.line}];
    line.file = program.files[info.source.file];
    line.line = info.source.line;
    line.warp_instructions += result.blocks[info.basic_block].warps;
    line.thread_instructions += result.blocks[info.basic_block].threads;
    line.branches += IsBranch(info.opcode) ? result.blocks[info.basic_block].warps : 0;
    line.divergent_branches += result.divergent[i];
    line.memory += result.accesses[i];
  }
  std::vector<LineCounters> ordered;
  ordered.reserve(lines.size());
  for (auto& [place, line] : lines) {
    ordered.push_back(std::move(line));
  }
  return ordered;
}

std::vector<Finding> FindingsOf(const Launch& launch, const LaunchResult& result,
                                const GlobalMemory& memory) {
  std::vector<Finding> findings;
  for (const FindingRecord& record : result.findings) {
    Finding finding;
    finding.checker = CheckerOf(record.kind);
    finding.kind = record.kind;
    finding.severity = record.severity;
    finding.kernel = launch.program->demangled;
    finding.launch = launch.number;
    finding.site = SiteOf(launch, record.site);
    finding.space = record.space;
    finding.address = record.address;
    finding.size_bytes = record.size_bytes;
    if (record.space == MemorySpace::kGlobal && record.address != 0) {
      finding.nearest = memory.Nearest(record.address);
      // Far from all memory, how far says nothing.
      if (record.kind == FindingKind::kInvalidAddress && finding.nearest &&
          finding.nearest->distance_bytes != 0) {
        finding.nearest.reset();
      }
    }
    if (record.has_other) {
      finding.other = SiteOf(launch, record.other);
    }
    finding.count = record.count;
    finding.note = record.note;
    findings.push_back(std::move(finding));
  }
  return findings;
}

LaunchReport ReportOf(const Launch& launch, const LaunchResult& result, const GlobalMemory& memory,
                      const GpuModel& model, const KernelResources& resources,
                      const Occupancy& occupancy) {
  LaunchReport report;
  report.launch = launch.number;
  report.kernel = launch.program->demangled;
  report.grid = launch.grid;
  report.block = launch.block;
  report.dynamic_shared_bytes = launch.dynamic_shared_bytes;
  report.resources = resources;
  report.theoretical_occupancy = occupancy.fraction;
  report.occupancy_limiter = occupancy.limiter;
  report.findings = FindingsOf(launch, result, memory);
  report.error = result.fault.error;
  report.error_detail = result.fault.detail;
  report.emulation_time_ns = result.emulation_time_ns;
  if (report.error == 0) {
    report.counters = CountersOf(*launch.program, result);
    report.lines = LinesOf(*launch.program, result);
    const ModelledTime time = RooflineTime(model, report.counters,
                                           {.blocks = BlocksOf(launch.grid),
                                            .threads_per_block = launch.threads_per_block,
                                            .blocks_per_sm = occupancy.blocks_per_sm});
    report.modelled_time_ns = time.time_ns;
    report.modelled_limiter = time.limiter;
  }
  return report;
}

}  // namespace assay::gpu
