// SPDX-License-Identifier: Apache-2.0
#include "emulator/ops/mbarrier.h"

#include <algorithm>

namespace assay::gpu {
namespace {

struct Fields {
  std::uint32_t expected = 0;
  std::uint32_t pending = 0;
  std::int32_t bytes = 0;
  std::uint32_t phase = 0;
};

constexpr std::uint64_t kCountBits = 20;
constexpr std::uint64_t kBytesBits = 21;
constexpr std::uint64_t kPhases = 8;

Fields Unpack(std::uint64_t state) {
  Fields fields;
  fields.expected = static_cast<std::uint32_t>(state & kMostArrivals);
  fields.pending = static_cast<std::uint32_t>((state >> kCountBits) & kMostArrivals);
  constexpr std::uint64_t kSign = std::uint64_t{1} << (kBytesBits - 1);
  const std::uint64_t bytes = (state >> (2 * kCountBits)) & (2 * kSign - 1);
  fields.bytes =
      static_cast<std::int32_t>(static_cast<std::int64_t>(bytes ^ kSign) - std::int64_t{kSign});
  fields.phase = static_cast<std::uint32_t>(state >> (2 * kCountBits + kBytesBits));
  return fields;
}

std::uint64_t Pack(const Fields& fields) {
  const std::uint64_t bytes = static_cast<std::uint64_t>(static_cast<std::int64_t>(fields.bytes)) &
                              ((std::uint64_t{1} << kBytesBits) - 1);
  return std::uint64_t{fields.expected} | (std::uint64_t{fields.pending} << kCountBits) |
         (bytes << (2 * kCountBits)) |
         (std::uint64_t{fields.phase % kPhases} << (2 * kCountBits + kBytesBits));
}

void CompleteIfDone(Block& block, Fields& fields) {
  if (fields.pending != 0 || fields.bytes != 0) {
    return;
  }
  fields.pending = fields.expected;
  fields.phase = (fields.phase + 1) % kPhases;
  ++block.barrier_epoch;
}

MbarrierUse Arrive(Block& block, Fields& fields, std::uint32_t count) {
  const bool too_many = count > fields.pending;
  fields.pending -= std::min(count, fields.pending);
  CompleteIfDone(block, fields);
  return too_many ? MbarrierUse::kTooManyArrivals : MbarrierUse::kRight;
}

/// An object that arrive_drop emptied expects nothing and may only be invalidated.
bool IsInitialized(const Fields& fields) { return fields.expected != 0 || fields.pending != 0; }

}  // namespace

std::uint64_t* MbarrierAt(Block& block, std::uint32_t shared_bytes, std::uint64_t address) {
  const std::uint64_t offset = SharedOffset(address);
  if (offset % 8 != 0 || shared_bytes < 8 || offset > shared_bytes - 8) {
    return nullptr;
  }
  return reinterpret_cast<std::uint64_t*>(block.shared + offset);
}

std::uint64_t InitialMbarrier(std::uint32_t arrivals) {
  const std::uint32_t count = std::clamp(arrivals, 1U, kMostArrivals);
  return Pack({.expected = count, .pending = count});
}

MbarrierUse ArriveAtMbarrier(Block& block, std::uint64_t& state, std::uint32_t count) {
  Fields fields = Unpack(state);
  if (!IsInitialized(fields)) {
    return MbarrierUse::kNotInitialized;
  }
  const MbarrierUse use = Arrive(block, fields, count);
  state = Pack(fields);
  return use;
}

MbarrierUse ArriveAndDropAtMbarrier(Block& block, std::uint64_t& state, std::uint32_t count) {
  Fields fields = Unpack(state);
  if (!IsInitialized(fields)) {
    return MbarrierUse::kNotInitialized;
  }
  fields.expected -= std::min(count, fields.expected);
  const MbarrierUse use = Arrive(block, fields, count);
  state = Pack(fields);
  return use;
}

MbarrierUse ExpectArrivals(std::uint64_t& state, std::uint32_t count) {
  Fields fields = Unpack(state);
  if (!IsInitialized(fields)) {
    return MbarrierUse::kNotInitialized;
  }
  fields.pending = std::min(fields.pending + count, kMostArrivals);
  state = Pack(fields);
  return MbarrierUse::kRight;
}

MbarrierUse ExpectBytes(Block& block, std::uint64_t& state, std::int64_t bytes) {
  Fields fields = Unpack(state);
  if (!IsInitialized(fields)) {
    return MbarrierUse::kNotInitialized;
  }
  constexpr std::int64_t kMost = (std::int64_t{1} << (kBytesBits - 1)) - 1;
  fields.bytes = static_cast<std::int32_t>(std::clamp(fields.bytes + bytes, -kMost, kMost));
  CompleteIfDone(block, fields);
  state = Pack(fields);
  return MbarrierUse::kRight;
}

bool PhaseIsOver(std::uint64_t state, std::uint64_t token) {
  return Unpack(state).phase != Unpack(token).phase;
}

bool ParityIsOver(std::uint64_t state, std::uint32_t parity) {
  return Unpack(state).phase % 2 != parity % 2;
}

std::uint32_t PendingArrivals(std::uint64_t state) { return Unpack(state).pending; }

}  // namespace assay::gpu
