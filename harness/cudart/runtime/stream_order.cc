// SPDX-License-Identifier: Apache-2.0
#include "cudart/runtime/stream_order.h"

#include <utility>

#include "cudart/runtime/state.h"

namespace assay::gpu::runtime {
namespace {

bool IsBlocking(const CUstream_st& stream) { return (stream.flags & cudaStreamNonBlocking) == 0; }

// The default stream has no id of its own.
std::uint64_t IdOf(const State& state, const CUstream_st& stream) {
  constexpr std::uint64_t kDefault = 1;
  return &stream == &state.streams.legacy ? kDefault : stream.id;
}

WorkStamp StampOf(State& state, CUstream_st& stream) {
  StreamOrder& order = state.order;
  const bool is_legacy = &stream == &state.streams.legacy;
  if (is_legacy) {
    JoinClock(stream.clock, order.blocking);
  } else if (IsBlocking(stream)) {
    JoinClock(stream.clock, state.streams.legacy.clock);
  }
  JoinClock(stream.clock, order.waited);
  const std::uint64_t id = IdOf(state, stream);
  stream.clock[id] = ++order.last_number;
  std::erase_if(stream.clock,
                [&](const auto& known) { return known.second <= order.waited_for_all; });
  if (IsBlocking(stream)) {
    JoinClock(order.blocking, stream.clock);
  }
  return {.stream = id,
          .number = order.last_number,
          .behind = stream.clock,
          .waited = order.waited,
          .waited_for_all = order.waited_for_all};
}

// As a GPU's host does for pageable memory, whatever the call is named.
bool IsWaitedFor(State& state, const Work& work, Until until) {
  if (until == Until::kDone) {
    return true;
  }
  const auto* const copy = std::get_if<CopyWork>(&work);
  if (copy == nullptr) {
    return false;
  }
  CopyWork same = *copy;
  return !DeferCopy(state, same);
}

}  // namespace

bool TracksOrder(const State& state) {
  constexpr std::uint64_t kFirstStream = 2;
  return !QueuesWork() &&
         (state.streams.next_id > kFirstStream + 1 ||
          (state.streams.next_id > kFirstStream && state.streams.any_non_blocking));
}

cudaError_t PerformInOrder(State& state, CUstream_st& stream, const Work& work, Until until) {
  if (!TracksOrder(state)) {
    return Perform(state, work);
  }
  const auto* const event = std::get_if<EventWork>(&work);
  if (event != nullptr && event->kind == EventWork::Kind::kWait) {
    if (const CUevent_st* const waited = FindEvent(state, event->event)) {
      NoteOrder(stream, *waited);
    }
    return Perform(state, work);
  }
  WorkStamp stamp = StampOf(state, stream);
  const StreamClock behind = stamp.behind;
  const bool waited = IsWaitedFor(state, work, until);
  // A host function runs without the lock, and other threads then do work of theirs.
  if (!std::holds_alternative<HostWork>(work)) {
    state.order.now = std::move(stamp);
  }
  const cudaError_t error = Perform(state, work);
  state.order.now.reset();
  if (waited) {
    JoinClock(state.order.waited, behind);
  }
  return error;
}

void NoteWaitForStream(State& state, const CUstream_st& stream) {
  if (!TracksOrder(state)) {
    return;
  }
  if (&stream == &state.streams.legacy) {
    JoinClock(state.order.waited, state.order.blocking);
  }
  JoinClock(state.order.waited, stream.clock);
}

void NoteWaitForEvent(State& state, const CUevent_st& event) {
  if (TracksOrder(state)) {
    JoinClock(state.order.waited, event.clock);
  }
}

void NoteWaitForAll(State& state) {
  state.order.waited_for_all = state.order.last_number;
  state.order.waited.clear();
  state.order.blocking.clear();
}

void NoteOrder(CUstream_st& stream, const CUevent_st& event) {
  JoinClock(stream.clock, event.clock);
}

DeviceWork::DeviceWork(State& state) : state_(state), told_(state.order.now.has_value()) {
  if (told_) {
    state_.device->BeginWork(*state_.order.now);
  }
}

DeviceWork::~DeviceWork() {
  if (told_) {
    state_.device->EndWork();
  }
}

}  // namespace assay::gpu::runtime
