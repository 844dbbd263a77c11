// SPDX-License-Identifier: Apache-2.0
// vprintf, __assertfail, malloc, free: functions that device code calls and does not define.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "emulator/core/program.h"
#include "emulator/exec/control_ops.h"
#include "emulator/exec/device_heap.h"
#include "emulator/exec/device_print.h"
#include "emulator/memory/global_memory.h"
#include "emulator/memory/lane_access.h"
#include "emulator/memory/memory_checker.h"
#include "emulator/memory/sector_shadow.h"
#include "emulator/memory/written_bits.h"
#include "emulator/report/cuda_error.h"

namespace assay::gpu {
namespace {

constexpr std::size_t kLongestString = 64 * 1024;
constexpr std::size_t kMostArgumentBytes = 4096;
constexpr std::size_t kMostPrintedBytes = std::size_t{64} << 20;  // Of a launch on one core.
constexpr std::uint32_t kNoSlot = ~0U;

std::byte* LocalByte(const Warp& warp, std::uint32_t lane, std::uint64_t offset) {
  return warp.local + (offset / 4 * kWarpSize + lane) * 4 + offset % 4;
}

template <class T>
T LoadLocal(const Warp& warp, std::uint32_t lane, std::uint32_t slot) {
  T value{};
  if (slot == kNoSlot || std::uint64_t{slot} + sizeof(T) > warp.launch->local_bytes) {
    return value;
  }
  auto* bytes = reinterpret_cast<std::byte*>(&value);
  for (std::uint32_t i = 0; i < sizeof(T); ++i) {
    bytes[i] = *LocalByte(warp, lane, slot + i);
  }
  return value;
}

// The way of every store, so that the checker knows the result as written. False: fault.
template <class T>
bool StoreLocal(Warp& warp, const Step* step, LaneMask lanes, std::uint32_t slot,
                const std::array<T, kWarpSize>& values) {
  if (slot == kNoSlot || lanes == 0) {
    return true;
  }
  std::array<std::uint64_t, kWarpSize> addresses;
  addresses.fill(slot);
  return WriteLanes(warp, step, ptx::Space::kLocal, lanes, addresses.data(), sizeof(T),
                    values.data());
}

// Up to `most` bytes from a generic address, as far as memory goes there.
std::vector<std::byte> ReadBytes(const Warp& warp, std::uint32_t lane, std::uint64_t address,
                                 std::size_t most) {
  std::vector<std::byte> bytes;
  const std::uint64_t offset = address & ((std::uint64_t{1} << kWindowShift) - 1);
  const std::uint64_t window = address - offset;
  if (window == kLocalWindow && offset < warp.launch->local_bytes) {
    const std::uint64_t count = std::min<std::uint64_t>(most, warp.launch->local_bytes - offset);
    for (std::uint64_t i = 0; i < count; ++i) {
      bytes.push_back(*LocalByte(warp, lane, offset + i));
    }
  } else if (window == kSharedWindow && offset < warp.launch->shared_bytes) {
    const std::uint64_t count = std::min<std::uint64_t>(most, warp.launch->shared_bytes - offset);
    bytes.assign(warp.block->shared + offset, warp.block->shared + offset + count);
  } else if (const Allocation* allocation = warp.launch->memory->Find(address)) {
    const std::uint64_t left = allocation->address + allocation->size_bytes - address;
    const ArenaView& view = warp.launch->memory->view();
    const std::byte* start = view.host + (address - view.begin);
    bytes.assign(start, start + std::min<std::uint64_t>(most, left));
  }
  return bytes;
}

std::optional<std::string> ReadString(const Warp& warp, std::uint32_t lane, std::uint64_t address) {
  // Short pieces first: most strings are.
  for (const std::size_t most : {std::size_t{256}, kLongestString}) {
    const std::vector<std::byte> bytes = ReadBytes(warp, lane, address, most);
    const auto* text = reinterpret_cast<const char*>(bytes.data());
    const std::size_t length = strnlen(text, bytes.size());
    if (length < bytes.size()) {
      return std::string(text, length);
    }
  }
  return std::nullopt;
}

template <class Visit>
void ForEachLane(LaneMask lanes, Visit visit) {
  for (; lanes != 0; lanes &= lanes - 1) {
    visit(static_cast<std::uint32_t>(std::countr_zero(lanes)));
  }
}

void Print(Warp& warp, std::string text, PrintStream stream) {
  Worker& worker = *warp.worker;
  if (worker.printed_bytes + text.size() > kMostPrintedBytes) {
    return;
  }
  worker.printed_bytes += text.size();
  if (!worker.printed.empty() && worker.printed.back().position == warp.block->position &&
      worker.printed.back().stream == stream) {
    worker.printed.back().text += text;
    return;
  }
  worker.printed.push_back(
      {.position = warp.block->position, .stream = stream, .text = std::move(text)});
}

// int vprintf(const char* format, const void* arguments)
const Step* Printf(Warp& warp, const Step* step) {
  const std::uint32_t* slots = step->operands;
  const LaneMask lanes = GuardedLanes(warp, step);
  std::array<std::int32_t, kWarpSize> results;
  results.fill(-1);
  ForEachLane(lanes, [&](std::uint32_t lane) {
    const auto format = ReadString(warp, lane, LoadLocal<std::uint64_t>(warp, lane, slots[1]));
    const auto arguments =
        ReadBytes(warp, lane, LoadLocal<std::uint64_t>(warp, lane, slots[2]), kMostArgumentBytes);
    if (format) {
      Print(
          warp,
          FormatDevicePrint(*format, arguments,
                            [&](std::uint64_t address) { return ReadString(warp, lane, address); }),
          PrintStream::kOut);
      results[lane] = ArgumentsOf(*format).count;
    }
  });
  return StoreLocal(warp, step, lanes, slots[0], results) ? step + 1 : nullptr;
}

// void __assertfail(const char* message, const char* file, unsigned line, const char* function,
//                   size_t character_bytes)
const Step* Assert(Warp& warp, const Step* step) {
  const std::uint32_t* slots = step->operands;
  const LaneMask lanes = GuardedLanes(warp, step);
  if (lanes == 0) {
    return step + 1;
  }
  std::string first;
  ForEachLane(lanes, [&](std::uint32_t lane) {
    const auto text = [&](std::uint32_t slot) {
      return ReadString(warp, lane, LoadLocal<std::uint64_t>(warp, lane, slot)).value_or("?");
    };
    const auto thread = IndexIn(warp.launch->block, warp.index * kWarpSize + lane);
    const auto& block = warp.block->index;
    const std::string message = text(slots[1]);
    first = first.empty() ? message : first;
    Print(
        warp,
        fmt::format("{}:{}: {}: block: [{},{},{}], thread: [{},{},{}] Assertion `{}` failed.\n",
                    text(slots[2]), LoadLocal<std::uint32_t>(warp, lane, slots[3]), text(slots[4]),
                    block[0], block[1], block[2], thread[0], thread[1], thread[2], message),
        PrintStream::kErr);
  });
  Report(warp, step, FindingKind::kAssert, Severity::kError,
         static_cast<std::uint32_t>(std::countr_zero(lanes)), MemorySpace::kNone, 0, 0,
         "assertion `" + first + "` failed");
  return Fault(warp, cuda_error::kAssert, "device-side assert: `" + first + "`");
}

const Step* Malloc(Warp& warp, const Step* step) {
  const LaneMask lanes = GuardedLanes(warp, step);
  std::array<std::uint64_t, kWarpSize> results{};
  ForEachLane(lanes, [&](std::uint32_t lane) {
    const auto size = LoadLocal<std::uint64_t>(warp, lane, step->operands[1]);
    results[lane] = warp.launch->heap->Allocate(size);
    if (results[lane] != 0 && warp.worker->checker != nullptr) {
      warp.worker->checker->state.shadow->HandOut(results[lane], size);
    }
  });
  return StoreLocal(warp, step, lanes, step->operands[0], results) ? step + 1 : nullptr;
}

const Step* Free(Warp& warp, const Step* step) {
  ForEachLane(GuardedLanes(warp, step), [&](std::uint32_t lane) {
    const auto address = LoadLocal<std::uint64_t>(warp, lane, step->operands[1]);
    const std::optional<std::uint64_t> freed = warp.launch->heap->Free(address);
    if (!freed) {
      Report(warp, step, FindingKind::kInvalidFree, Severity::kError, lane, MemorySpace::kGlobal,
             address, 0, "free() of what malloc() did not return, or twice");
    } else if (*freed != 0) {
      // initcheck then finds reads of what is freed, and of what malloc() hands out again.
      const ArenaView& view = warp.launch->memory->view();
      ClearBits(view.written_bits, address - view.begin, *freed);
    }
  });
  return step + 1;
}

}  // namespace

Handlers PrintfHandlers() { return {Printf, Printf}; }
Handlers AssertHandlers() { return {Assert, Assert}; }
Handlers MallocHandlers() { return {Malloc, Malloc}; }
Handlers FreeHandlers() { return {Free, Free}; }

}  // namespace assay::gpu
