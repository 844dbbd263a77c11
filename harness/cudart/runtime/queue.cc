// SPDX-License-Identifier: Apache-2.0
#include "cudart/runtime/queue.h"

#include <algorithm>
#include <cstddef>
#include <queue>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "cudart/runtime/attachment.h"
#include "cudart/runtime/memory.h"
#include "cudart/runtime/state.h"

namespace assay::gpu::runtime {
namespace {

using Piece = Queue::Piece;

/// What is waited for: one piece, or, for the legacy stream, all work of blocking streams.
struct Target {
  Ticket ticket = 0;
  bool blocking = false;
};

/// The same pieces, which come lowest first, in an order that keeps every dependency and lets go
/// first, of those that are ready, what was given last: so what a program forgot to order shows.
std::vector<Ticket> LatestFirst(const Queue& queue, const std::vector<Ticket>& pieces) {
  if (pieces.size() <= 1) {
    return pieces;  // As at nearly every synchronisation.
  }
  std::vector<std::size_t> waits_for(pieces.size());
  std::vector<std::vector<std::size_t>> followers(pieces.size());
  for (std::size_t at = 0; at < pieces.size(); ++at) {
    const auto follow = [&](std::size_t before) {
      followers[before].push_back(at);
      ++waits_for[at];
    };
    const Piece& piece = queue.pieces.at(pieces[at]);
    for (const Ticket ticket : piece.after) {
      const auto found = std::ranges::lower_bound(pieces, ticket);
      if (found != pieces.end() && *found == ticket) {
        follow(static_cast<std::size_t>(found - pieces.begin()));
      }
    }
    if (!piece.legacy) {
      continue;
    }
    // What is before the legacy stream's last piece, that one is behind.
    const auto behind_legacy = std::ranges::upper_bound(pieces, piece.after[1]);
    for (auto before = static_cast<std::size_t>(behind_legacy - pieces.begin()); before < at;
         ++before) {
      if (queue.pieces.at(pieces[before]).blocking) {
        follow(before);
      }
    }
  }
  std::priority_queue<std::size_t> ready;
  for (std::size_t at = 0; at < pieces.size(); ++at) {
    if (waits_for[at] == 0) {
      ready.push(at);
    }
  }
  std::vector<Ticket> order;
  while (!ready.empty()) {
    const std::size_t at = ready.top();
    ready.pop();
    order.push_back(pieces[at]);
    for (const std::size_t follower : followers[at]) {
      if (--waits_for[follower] == 0) {
        ready.push(follower);
      }
    }
  }
  return order;
}

/// The pieces that a target needs, in the order of LatestFirst.
std::vector<Ticket> Needed(const Queue& queue, const Target& target) {
  std::set<Ticket> wanted{target.ticket};
  bool all_blocking = target.blocking;
  std::vector<Ticket> needed;
  for (auto at = queue.pieces.rbegin(); at != queue.pieces.rend(); ++at) {
    const auto& [ticket, piece] = *at;
    if (!wanted.contains(ticket) && !(all_blocking && piece.blocking)) {
      continue;
    }
    needed.push_back(ticket);
    wanted.insert(piece.after.begin(), piece.after.end());
    all_blocking = all_blocking || piece.legacy;
  }
  std::ranges::reverse(needed);
  return LatestFirst(queue, needed);
}

/// A record whose event has been recorded anew, or destroyed, leaves no trace.
bool IsOvertaken(State& state, Ticket ticket, const Work& work) {
  const auto* const event = std::get_if<EventWork>(&work);
  if (event == nullptr || event->kind != EventWork::Kind::kRecord) {
    return false;
  }
  const CUevent_st* const found = FindEvent(state, event->event);
  return found == nullptr || found->queued != ticket;
}

/// Does a piece that nobody is doing. Host functions run without the lock, and the piece is still
/// queued meanwhile: what is ordered behind it is not done.
cudaError_t DoPiece(State& state, Ticket ticket, Piece& piece) {
  piece.runner = std::this_thread::get_id();
  const Work work = std::move(piece.work);
  piece.work = std::monostate{};
  cudaError_t error = IsOvertaken(state, ticket, work) ? cudaSuccess : Perform(state, work);
  // The queue may have been cleared meanwhile.
  const auto found = state.queue.pieces.find(ticket);
  if (found != state.queue.pieces.end()) {
    void* const freed = found->second.freed;
    state.queue.pieces.erase(found);
    if (error == cudaSuccess && freed != nullptr) {
      error = FreeNow(state, freed);
    }
  }
  state.queue.progress.notify_all();
  return error;
}

/// Waits for a piece, by doing it unless another thread is at it.
cudaError_t FinishPiece(State& state, Ticket ticket) {
  while (true) {
    const auto found = state.queue.pieces.find(ticket);
    if (found == state.queue.pieces.end()) {
      return cudaSuccess;
    }
    Piece& piece = found->second;
    if (piece.runner == std::thread::id()) {
      return DoPiece(state, ticket, piece);
    }
    if (piece.runner == std::this_thread::get_id()) {
      return cudaErrorNotPermitted;
    }
    state.queue.progress.wait(state.mutex);
  }
}

cudaError_t Finish(State& state, std::span<const Ticket> needed) {
  cudaError_t first = cudaSuccess;
  for (const Ticket ticket : needed) {
    const cudaError_t error = FinishPiece(state, ticket);
    first = first == cudaSuccess ? error : first;
    if (state.sticky != cudaSuccess) {
      ClearQueue(state);  // A kernel faulted: nothing on this device runs any more.
      return state.sticky;
    }
    if (error == cudaErrorNotPermitted) {
      break;
    }
  }
  return first;
}

cudaError_t FinishTarget(State& state, const Target& target) {
  if (state.queue.pieces.empty()) {
    return cudaSuccess;
  }
  return Finish(state, Needed(state.queue, target));
}

Target TargetOf(const State& state, const CUstream_st& stream) {
  return {.ticket = stream.queued, .blocking = &stream == &state.streams.legacy};
}

cudaError_t Query(State& state, const Target& target) {
  const std::vector<Ticket> needed = Needed(state.queue, target);
  if (needed.empty()) {
    return cudaSuccess;
  }
  const Piece& next = state.queue.pieces.at(needed[0]);
  if (next.runner != std::thread::id()) {
    return cudaErrorNotReady;  // Another thread is at it, and a query never waits.
  }
  const cudaError_t error = Finish(state, std::span(needed).first(1));
  return error == cudaSuccess ? cudaErrorNotReady : error;
}

/// As a GPU, which takes some 1024 pieces before a launch waits for room.
cudaError_t MakeRoom(State& state) {
  constexpr std::size_t kMostPieces = 1024;
  const Queue& queue = state.queue;
  while (queue.pieces.size() > kMostPieces) {
    const Ticket oldest = queue.pieces.begin()->first;
    const cudaError_t error = Finish(state, {&oldest, 1});
    if (error != cudaSuccess) {
      // A fault shows at the next call that looks.
      return error == state.sticky ? cudaSuccess : error;
    }
  }
  return cudaSuccess;
}

/// Adds a piece behind the stream's last one and `event`, and orders it against the legacy stream.
Ticket Add(State& state, CUstream_st& stream, Piece piece, Ticket event = 0) {
  Queue& queue = state.queue;
  piece.legacy = &stream == &state.streams.legacy;
  piece.blocking = (stream.flags & cudaStreamNonBlocking) == 0;
  piece.after = {stream.queued, piece.blocking ? queue.last_legacy : 0, event};
  const Ticket ticket = ++queue.last_ticket;
  queue.pieces.emplace(ticket, std::move(piece));
  stream.queued = ticket;
  if (&stream == &state.streams.legacy) {
    queue.last_legacy = ticket;
  }
  return ticket;
}

/// What a program sees of an event from the moment it is recorded, whenever that is done.
void MarkRecorded(State& state, cudaEvent_t handle, Ticket ticket) {
  CUevent_st* const event = FindEvent(state, handle);
  event->recorded = true;
  event->capture = nullptr;
  event->after.clear();
  event->queued = ticket;
}

/// Whether `work` may be done after the call; reads what has to be read before it returns.
bool Defer(State& state, Work& work) {
  if (auto* const copy = std::get_if<CopyWork>(&work)) {
    return DeferCopy(state, *copy);
  }
  if (const auto* const fill = std::get_if<FillWork>(&work)) {
    return DeferFill(state, *fill);
  }
  return true;
}

cudaError_t EnqueueChild(State& state, cudaStream_t stream, const ChildWork& child, Until until) {
  const std::shared_ptr<CUgraph_st> graph = child.graph;  // Held: a host node may destroy it.
  for (const CUgraphNode_st* const node : TopologicalOrder(*graph)) {
    const cudaError_t error = Enqueue(state, stream, node->work, until);
    if (error != cudaSuccess) {
      return error;
    }
  }
  return cudaSuccess;
}

}  // namespace

bool QueuesWork() { return RuntimeAttachment().order() == WorkOrder::kAsLateAsLegal; }

cudaError_t Enqueue(State& state, cudaStream_t handle, const Work& work, Until until) {
  if (const auto* const child = std::get_if<ChildWork>(&work)) {
    return EnqueueChild(state, handle, *child, until);
  }
  CUstream_st* const stream = FindStream(state, handle);
  const auto* const event = std::get_if<EventWork>(&work);
  const CUevent_st* const found = event == nullptr ? nullptr : FindEvent(state, event->event);
  if (stream == nullptr || (event != nullptr && found == nullptr)) {
    return cudaErrorInvalidResourceHandle;
  }
  if (event != nullptr && event->kind == EventWork::Kind::kWait) {
    return EnqueueWait(state, *stream, *found);
  }
  Piece piece{.work = work};
  if (!Defer(state, piece.work)) {
    until = Until::kDone;
  }
  const Ticket ticket = Add(state, *stream, std::move(piece));
  if (event != nullptr) {
    MarkRecorded(state, event->event, ticket);
  }
  return until == Until::kDone ? FinishTarget(state, {.ticket = ticket}) : MakeRoom(state);
}

cudaError_t EnqueueFree(State& state, CUstream_st& stream, void* pointer) {
  Add(state, stream, {.freed = pointer});
  return MakeRoom(state);
}

cudaError_t EnqueueWait(State& state, CUstream_st& stream, const CUevent_st& event) {
  NoteOrder(stream, event);
  if (IsDone(state, event.queued)) {
    return cudaSuccess;
  }
  Add(state, stream, {}, event.queued);
  return MakeRoom(state);
}

cudaError_t FinishStream(State& state, const CUstream_st& stream) {
  NoteWaitForStream(state, stream);
  return FinishTarget(state, TargetOf(state, stream));
}

cudaError_t FinishEvent(State& state, const CUevent_st& event) {
  NoteWaitForEvent(state, event);
  return FinishTarget(state, {.ticket = event.queued});
}

cudaError_t FinishAll(State& state) {
  NoteWaitForAll(state);
  std::vector<Ticket> all;
  for (const auto& [ticket, piece] : state.queue.pieces) {
    all.push_back(ticket);
  }
  return Finish(state, LatestFirst(state.queue, all));
}

cudaError_t QueryStream(State& state, const CUstream_st& stream) {
  NoteWaitForStream(state, stream);  // Done at once, it has told the program so.
  return Query(state, TargetOf(state, stream));
}

cudaError_t QueryEvent(State& state, const CUevent_st& event) {
  NoteWaitForEvent(state, event);
  return Query(state, {.ticket = event.queued});
}

bool IsDone(const State& state, Ticket ticket) { return !state.queue.pieces.contains(ticket); }

void ClearQueue(State& state) {
  state.queue.pieces.clear();
  state.queue.progress.notify_all();
}

}  // namespace assay::gpu::runtime
