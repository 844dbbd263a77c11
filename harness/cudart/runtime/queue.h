// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CUDART_RUNTIME_QUEUE_H_
#define ASSAY_CUDART_RUNTIME_QUEUE_H_

#include <array>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <thread>

#include "cudart/runtime/cuda_types.h"
#include "cudart/runtime/work.h"

struct CUevent_st;
struct CUstream_st;

/// Streams as late as CUDA allows (WorkOrder::kAsLateAsLegal): work that was given to a stream is
/// done when something waits for it, with all that it is ordered behind and nothing else. What
/// nobody waits for has not happened, and of pieces that are not ordered the one that was given
/// last is done first: a submission that forgets to order its streams is seen to.
namespace assay::gpu::runtime {

struct State;

/// The place of a piece of work in the order of submission; 0 is none, and done.
using Ticket = std::uint64_t;

/// Work that is not done yet, of all streams. What a piece is ordered behind has lower tickets.
struct Queue {
  struct Piece {
    Work work = {};
    void* freed = nullptr;  ///< Device memory that is given back behind `work`.
    /// What it is behind: its stream's last piece, the legacy stream's, and an event's.
    std::array<Ticket, 3> after{};
    /// On the legacy stream: behind all earlier work of blocking streams.
    bool legacy = false;
    bool blocking = false;     ///< On a stream that the legacy stream synchronises with.
    std::thread::id runner{};  ///< Who is doing it; it stays queued until it is done.
  };
  std::map<Ticket, Piece> pieces;
  Ticket last_ticket = 0;
  Ticket last_legacy = 0;                ///< The legacy stream's last piece.
  std::condition_variable_any progress;  ///< A piece that a thread was doing is done.
};

/// Whether this program's attachment asks for work as late as legal.
bool QueuesWork();

/// Queues `work` behind what the stream has been given; 400: there is no such stream. Work that
/// CUDA does before the call returns (copies to pageable memory), or refuses (memory that is not
/// there), is done at once, behind all that it is ordered behind. Not for streams that capture.
cudaError_t Enqueue(State& state, cudaStream_t stream, const Work& work, Until until);
/// Queues the end of device memory that the runtime knows (cudaFreeAsync).
cudaError_t EnqueueFree(State& state, CUstream_st& stream, void* pointer);
/// Orders what `stream` is given next behind `event`.
cudaError_t EnqueueWait(State& state, CUstream_st& stream, const CUevent_st& event);

/// Does what is queued on a stream, up to an event, or at all. The first error of what was done;
/// after a fault the rest is dropped. 800 (cudaErrorNotPermitted): called by a host function that
/// is itself among it. None of the three does anything where work is not queued.
cudaError_t FinishStream(State& state, const CUstream_st& stream);
cudaError_t FinishEvent(State& state, const CUevent_st& event);
cudaError_t FinishAll(State& state);

/// cudaSuccess where nothing is left to wait for. Otherwise does one piece, so that a program which
/// polls gets on, and returns cudaErrorNotReady, or the piece's error.
cudaError_t QueryStream(State& state, const CUstream_st& stream);
cudaError_t QueryEvent(State& state, const CUevent_st& event);
[[nodiscard]] bool IsDone(const State& state, Ticket ticket);

/// Drops what is queued.
void ClearQueue(State& state);

}  // namespace assay::gpu::runtime

#endif  // ASSAY_CUDART_RUNTIME_QUEUE_H_
