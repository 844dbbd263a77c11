// SPDX-License-Identifier: Apache-2.0
#include "emulator/exec/block_storage.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "emulator/ops/pending_copies.h"

namespace assay::gpu {
namespace {

using ptx::SpecialRegister;

constexpr std::size_t kAlign = 128;

template <class ValueOfLane>
void Fill(std::byte* lanes, std::uint32_t width, ValueOfLane value_of_lane) {
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    const std::uint64_t value = value_of_lane(lane);
    std::memcpy(lanes + lane * width, &value, width);
  }
}

bool ChangesWithBlock(SpecialRegister special) {
  return special == SpecialRegister::kCtaidX || special == SpecialRegister::kCtaidY ||
         special == SpecialRegister::kCtaidZ || special == SpecialRegister::kSmid;
}

std::uint64_t ValueOf(const SpecialPlace& place, const Launch& launch, const Block& block,
                      std::uint32_t warp, std::uint32_t lane) {
  const std::uint32_t thread = warp * kWarpSize + lane;
  const auto& size = launch.block;
  switch (place.special) {
    case SpecialRegister::kTidX:
      return IndexIn(size, thread)[0];
    case SpecialRegister::kTidY:
      return IndexIn(size, thread)[1];
    case SpecialRegister::kTidZ:
      return IndexIn(size, thread)[2];
    case SpecialRegister::kNtidX:
      return size[0];
    case SpecialRegister::kNtidY:
      return size[1];
    case SpecialRegister::kNtidZ:
      return size[2];
    case SpecialRegister::kCtaidX:
      return block.index[0];
    case SpecialRegister::kCtaidY:
      return block.index[1];
    case SpecialRegister::kCtaidZ:
      return block.index[2];
    case SpecialRegister::kNctaidX:
      return launch.grid[0];
    case SpecialRegister::kNctaidY:
      return launch.grid[1];
    case SpecialRegister::kNctaidZ:
      return launch.grid[2];
    case SpecialRegister::kLaneid:
      return lane;
    case SpecialRegister::kWarpid:
      return warp;
    case SpecialRegister::kNwarpid:
      return launch.warps_per_block;
    case SpecialRegister::kSmid:
      return block.linear % launch.options->model.multiprocessors;
    case SpecialRegister::kNsmid:
      return launch.options->model.multiprocessors;
    case SpecialRegister::kGridid:
      return launch.number + 1;
    case SpecialRegister::kLanemaskEq:
      return std::uint64_t{1} << lane;
    case SpecialRegister::kLanemaskLe:
      return (std::uint64_t{2} << lane) - 1;
    case SpecialRegister::kLanemaskLt:
      return (std::uint64_t{1} << lane) - 1;
    case SpecialRegister::kLanemaskGe:
      return static_cast<std::uint32_t>(~((std::uint64_t{1} << lane) - 1));
    case SpecialRegister::kLanemaskGt:
      return static_cast<std::uint32_t>(~((std::uint64_t{2} << lane) - 1));
    case SpecialRegister::kDynamicSmemSize:
      return launch.dynamic_shared_bytes;
    case SpecialRegister::kTotalSmemSize:
      return launch.shared_bytes;
    case SpecialRegister::kReservedSmemOffset:
      return launch.shared_bytes - kReservedSharedBytes;
    case SpecialRegister::kWarpSize:
      return kWarpSize;
    case SpecialRegister::kEnvReg:
      // What cooperative groups read the address of the grid's barrier from.
      return place.number == 1   ? launch.grid_workspace >> 32
             : place.number == 2 ? launch.grid_workspace & 0xffffffffU
                                 : 0;
    default:
      return 0;
  }
}

LaneMask LanesOf(const Launch& launch, std::uint32_t warp) {
  const std::uint32_t threads = launch.threads_per_block - warp * kWarpSize;
  return threads >= kWarpSize ? kAllLanes : (LaneMask{1} << threads) - 1;
}

std::size_t LocalBytesOfWarp(const Launch& launch) {
  return std::size_t{launch.local_bytes} * kWarpSize;
}

}  // namespace

void AlignedFree::operator()(std::byte* memory) const { std::free(memory); }

AlignedBytes AllocateAligned(std::size_t size_bytes) {
  const std::size_t rounded = (std::max<std::size_t>(size_bytes, 1) + kAlign - 1) / kAlign * kAlign;
  auto* memory = static_cast<std::byte*>(std::aligned_alloc(kAlign, rounded));
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  return AlignedBytes(memory);
}

ResidentBlock::~ResidentBlock() {
  for (Warp& warp : block.warps) {
    DestroyPendingCopies(warp);
  }
}

std::uint64_t BlockStorage::BytesPerBlock(const Launch& launch) {
  return std::uint64_t{launch.warps_per_block} *
             (launch.program->register_bytes + LocalBytesOfWarp(launch)) +
         launch.shared_bytes + 4096;
}

std::unique_ptr<ResidentBlock> BlockStorage::Make() {
  const Program& program = *launch_.program;
  auto resident = std::make_unique<ResidentBlock>();
  resident->registers =
      AllocateAligned(std::size_t{program.register_bytes} * launch_.warps_per_block);
  resident->local = AllocateAligned(LocalBytesOfWarp(launch_) * launch_.warps_per_block);
  resident->shared = AllocateAligned(launch_.shared_bytes);
  Block& block = resident->block;
  block.shared = resident->shared.get();
  block.warps.resize(launch_.warps_per_block);
  for (std::uint32_t w = 0; w < launch_.warps_per_block; ++w) {
    Warp& warp = block.warps[w];
    warp.registers = resident->registers.get() + std::size_t{w} * program.register_bytes;
    warp.local = resident->local.get() + w * LocalBytesOfWarp(launch_);
    warp.index = w;
    warp.existing = LanesOf(launch_, w);
    warp.launch = &launch_;
    warp.block = &block;
    warp.worker = &worker_;
    std::memcpy(warp.registers, program.initial_registers.data(), program.register_bytes);
    for (const SpecialPlace& place : program.specials) {
      Fill(warp.registers + place.offset_bytes, place.width_bytes,
           [&](std::uint32_t lane) { return ValueOf(place, launch_, block, w, lane); });
    }
  }
  return resident;
}

void BlockStorage::Start(ResidentBlock& resident, std::uint64_t position, std::uint64_t linear) {
  const Program& program = *launch_.program;
  Block& block = resident.block;
  block.linear = static_cast<std::uint32_t>(linear);
  block.index = IndexIn(launch_.grid, linear);
  block.position = position;
  block.barrier_epoch = 0;
  block.arrived.fill(0);
  if (program.uses_reserved_shared) {
    // Cooperative groups keep barriers there, which they expect to be 0.
    std::memset(block.shared + launch_.shared_bytes - kReservedSharedBytes, 0,
                kReservedSharedBytes);
  }
  block.met.clear();
  for (Warp& warp : block.warps) {
    if (program.reads_before_writes) {
      std::memset(warp.registers + program.first_register, kRegisterPoison,
                  program.registers_end - program.first_register);
    }
    for (const SpecialPlace& place : program.specials) {
      if (ChangesWithBlock(place.special)) {
        Fill(warp.registers + place.offset_bytes, place.width_bytes,
             [&](std::uint32_t lane) { return ValueOf(place, launch_, block, warp.index, lane); });
      }
    }
    warp.exited = 0;
    warp.carry = 0;
    warp.yielded = 0;
    warp.blocked = false;
    warp.blocks_run = 0;
    warp.given_up = false;
    warp.sync_epoch = 0;
    warp.stop = Stop::kNone;
    warp.groups.assign(1, {.at = program.masked.data(), .lanes = warp.existing});
    DestroyPendingCopies(warp);
  }
}

std::unique_ptr<ResidentBlock> BlockStorage::Take(std::uint64_t position, std::uint64_t linear) {
  std::unique_ptr<ResidentBlock> resident;
  if (unused_.empty()) {
    resident = Make();
  } else {
    resident = std::move(unused_.back());
    unused_.pop_back();
  }
  Start(*resident, position, linear);
  return resident;
}

void BlockStorage::GiveBack(std::unique_ptr<ResidentBlock> block) {
  unused_.push_back(std::move(block));
}

}  // namespace assay::gpu
