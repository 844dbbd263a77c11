// SPDX-License-Identifier: Apache-2.0
#include "emulator/memory/memory_checker.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "emulator/core/program.h"
#include "emulator/memory/global_memory.h"
#include "emulator/memory/l2_cache.h"
#include "emulator/memory/sector_shadow.h"
#include "emulator/memory/shared_shadow.h"
#include "emulator/memory/warp_chains.h"

namespace assay::gpu {
namespace {

// A block's shadow with what it points to; reused by the blocks that follow.
struct OwnedShadow {
  BlockShadow shadow;
  std::vector<std::uint32_t> words;  // writers, readers, writer_sites, reader_sites
  std::vector<std::byte> local_written;
  std::vector<std::uint64_t> trace;
  WarpChains chains;
  std::uint32_t next_epoch = 1;
};

// After so many epochs the next block starts with a clean shadow instead of running out midway.
constexpr std::uint32_t kFreshEpochs = 448;

constexpr std::size_t kTraceRequests = 4096;

std::uint32_t MaxEpochOf(const Block& block, const BlockShadow& shadow) {
  return block.barrier_epoch + shadow.epoch_bias;
}

// Of instructions that go to device memory; those that may go anywhere count what did.
void CountL2Sectors(const Worker& worker, const Launch& launch, LaunchCounters& counters) {
  if (launch.program == nullptr) {
    return;
  }
  const std::vector<InstructionInfo>& instructions = launch.program->instructions;
  for (std::size_t i = 0; i < std::min(instructions.size(), worker.accesses.size()); ++i) {
    const ptx::Space space = instructions[i].space;
    if (space == ptx::Space::kLocal || space == ptx::Space::kConst) {
      continue;
    }
    const std::uint64_t sectors = worker.accesses[i].sectors;
    const ptx::Opcode opcode = instructions[i].opcode;
    const bool writes = opcode == ptx::Opcode::kSt;
    const bool updates = opcode == ptx::Opcode::kAtom || opcode == ptx::Opcode::kRed;
    if (!writes) {
      counters.l2_read_sectors += sectors;
    }
    if (writes || updates) {
      counters.l2_write_sectors += sectors;
    }
  }
}

std::unique_ptr<OwnedShadow> MakeShadow(std::uint32_t shared_bytes, std::uint32_t granule_shift) {
  auto fresh = std::make_unique<OwnedShadow>();
  const std::size_t granules = (shared_bytes >> granule_shift) + 1;
  // Vector loads may look at granules behind the last.
  const std::size_t padded = (granules + 127) / 64 * 64;
  fresh->words.resize(4 * padded);
  fresh->shadow.writers = fresh->words.data();
  fresh->shadow.readers = fresh->words.data() + padded;
  fresh->shadow.writer_sites = fresh->words.data() + 2 * padded;
  fresh->shadow.reader_sites = fresh->words.data() + 3 * padded;
  fresh->shadow.chains = &fresh->chains;
  fresh->shadow.granule_shift = granule_shift;
  fresh->shadow.granules = static_cast<std::uint32_t>(granules);
  return fresh;
}

// Gives it the epochs that no block before has used.
void BeginEpochs(OwnedShadow& owned, const Block& block) {
  BlockShadow& shadow = owned.shadow;
  if (owned.next_epoch > kFreshEpochs) {
    std::fill_n(shadow.writers, shadow.granules, 0U);
    std::fill_n(shadow.readers, shadow.granules, 0U);
    owned.next_epoch = 1;
  }
  shadow.first_epoch = owned.next_epoch;
  shadow.epoch_bias = owned.next_epoch - block.barrier_epoch;
}

std::uint32_t ReservedSharedBytes(const Launch& launch) {
  const bool uses = launch.program != nullptr && launch.program->uses_reserved_shared;
  return uses ? kReservedSharedBytes : 0;
}

void PoisonBlock(Block& block, const Launch& launch, std::uint32_t word) {
  const auto poison = static_cast<int>(word & 0xffU);
  if (block.shared != nullptr) {
    std::memset(block.shared, poison, launch.shared_bytes - ReservedSharedBytes(launch));
  }
  for (Warp& warp : block.warps) {
    if (warp.local != nullptr) {
      std::memset(warp.local, poison, std::size_t{launch.local_bytes} * kWarpSize);
    }
  }
}

}  // namespace

struct MemoryChecker::Private {
  GlobalMemory* memory = nullptr;
  std::unique_ptr<SectorShadow> shadow;
  Worker* worker = nullptr;
  const Launch* launch = nullptr;
  std::vector<SiteCache> sites;
  std::vector<PatternCache> patterns;
  std::vector<std::unique_ptr<OwnedShadow>> idle;
  std::vector<std::unique_ptr<OwnedShadow>> busy;
  std::uint32_t granule_shift = 2;
};

std::unique_ptr<MemoryChecker> MemoryChecker::Create(GlobalMemory& memory) {
  auto own = std::make_unique<Private>();
  own->memory = &memory;
  own->shadow = SectorShadow::Create(memory);
  if (own->shadow == nullptr) {
    return nullptr;
  }
  return std::unique_ptr<MemoryChecker>(new MemoryChecker(std::move(own)));
}

MemoryChecker::MemoryChecker(std::unique_ptr<Private> own) : own_(std::move(own)) {}
MemoryChecker::~MemoryChecker() = default;

void MemoryChecker::BeginLaunch(const Launch& launch, Worker& worker, BlockOrder order) {
  Private& own = *own_;
  own.worker = &worker;
  own.launch = &launch;
  own.shadow->Begin(order, &worker.findings);
  own.sites.assign(worker.accesses.size(), {});
  own.patterns.assign(worker.accesses.size(), {});
  const std::uint32_t shift = launch.program == nullptr ? 2 : SharedGranuleShift(*launch.program);
  own.granule_shift = shift;
  const std::uint64_t l2_bytes = launch.options == nullptr ? 0 : launch.options->model.l2_bytes;
  state = {.sites = own.sites.data(),
           .patterns = own.patterns.data(),
           .sectors = own.shadow->records(),
           .asides = own.shadow->asides(),
           .touched_pages = own.shadow->touched_pages(),
           .shadow = own.shadow.get(),
           .l2_skip_mask = L2SkipMask(l2_bytes),
           .trace_l2 = l2_bytes > 0 && own.memory->allocated_bytes() > l2_bytes,
           .sequential = order == BlockOrder::kSequential};
  if (state.trace_l2) {
    own.memory->l2().Begin(l2_bytes);
  }
  own.idle.clear();
}

void MemoryChecker::BeginBlock(Block& block) {
  Private& own = *own_;
  const Launch& launch = *own.launch;
  if (own.idle.empty()) {
    own.idle.push_back(MakeShadow(launch.shared_bytes, own.granule_shift));
  }
  own.busy.push_back(std::move(own.idle.back()));
  own.idle.pop_back();
  OwnedShadow& owned = *own.busy.back();
  BlockShadow& shadow = owned.shadow;
  BeginEpochs(owned, block);
  shadow.fenced = false;
  if (shadow.fenced_warps != 0) {
    shadow.fenced_warps = 0;
    owned.chains.Begin();
  }
  shadow.reserved_begin = launch.shared_bytes - ReservedSharedBytes(launch);
  if (state.trace_l2) {
    owned.trace.resize(kTraceRequests);
    shadow.trace = shadow.trace_at = owned.trace.data();
    shadow.trace_end = shadow.trace + owned.trace.size();
  }
  const std::uint64_t local_bytes = std::uint64_t{launch.local_bytes} * kWarpSize;
  shadow.local_stride_bytes = (local_bytes + 7) / 8 + 8;
  if (local_bytes > 0) {
    owned.local_written.assign(shadow.local_stride_bytes * block.warps.size(), std::byte{0});
    shadow.local_written = owned.local_written.data();
  }
  PoisonBlock(block, launch, own.memory->poison());
  block.shared_shadow = &shadow;
  if (own.busy.size() > 1 && !state.sequential) {
    state.settled_readers = 0;
    state.settled_atomics = ~kOwnerState;  // No record's: kExclusive is that of plain accesses.
  }
  own.shadow->BeginBlock(block.position, block.linear);
}

void MemoryChecker::EndBlock(Block& block) {
  Private& own = *own_;
  const auto it = std::ranges::find_if(own.busy, [&](const std::unique_ptr<OwnedShadow>& owned) {
    return &owned->shadow == block.shared_shadow;
  });
  if (it == own.busy.end()) {
    return;
  }
  OwnedShadow& owned = **it;
  owned.next_epoch = MaxEpochOf(block, owned.shadow) + 1;
  if (state.trace_l2) {
    const auto count = static_cast<std::size_t>(owned.shadow.trace_at - owned.shadow.trace);
    own.memory->l2().Push(block.position, {owned.shadow.trace, count}, L2Replay::Part::kLast);
  }
  own.idle.push_back(std::move(*it));
  own.busy.erase(it);
  block.shared_shadow = nullptr;
  own.shadow->EndBlock(block.position);
}

void MemoryChecker::FinishLaunch(std::span<MemoryChecker* const> workers, const Launch& launch,
                                 FindingLog& findings, LaunchCounters& counters) {
  if (workers.empty()) {
    return;
  }
  std::vector<SectorShadow*> shadows;
  shadows.reserve(workers.size());
  bool traced = false;
  for (MemoryChecker* worker : workers) {
    shadows.push_back(worker->own_->shadow.get());
    traced = traced || worker->state.trace_l2;
    // A fault may have left blocks open.
    std::ranges::move(worker->own_->busy, std::back_inserter(worker->own_->idle));
    worker->own_->busy.clear();
  }
  const CompulsoryTraffic compulsory = SectorShadow::Finish(shadows, findings, launch.footprint);
  counters.compulsory_read_bytes += compulsory.read_sectors * kSectorBytes;
  counters.compulsory_write_bytes += compulsory.written_sectors * kSectorBytes;
  L2Traffic traffic{.dram_read_sectors = compulsory.read_sectors,
                    .dram_written_sectors = compulsory.written_sectors};
  for (const MemoryChecker* worker : workers) {
    CountL2Sectors(*worker->own_->worker, launch, counters);
  }
  if (traced) {
    const L2Replay::Outcome outcome = launch.memory->l2().Finish();
    if (outcome.complete) {
      traffic = outcome.traffic;
    }
  }
  counters.dram_read_bytes += traffic.dram_read_sectors * kSectorBytes;
  counters.dram_write_bytes += traffic.dram_written_sectors * kSectorBytes;
}

}  // namespace assay::gpu
