// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CUDART_RUNTIME_STREAM_ORDER_H_
#define ASSAY_CUDART_RUNTIME_STREAM_ORDER_H_

#include <cstdint>
#include <optional>

#include "cudart/runtime/cuda_types.h"
#include "cudart/runtime/work.h"
#include "emulator/core/work_stamp.h"

struct CUevent_st;
struct CUstream_st;

/// What a program orders behind what, where work is done at once: the device, told of it, finds
/// pieces of work on two streams that nothing orders. Kept from the moment that two streams may run
/// beside each other. All host threads count as one: what one has waited for is over for all.
namespace assay::gpu::runtime {

struct StreamOrder {
  std::uint64_t last_number = 0;
  std::uint64_t waited_for_all = 0;  ///< The host has waited for all up to this number,
  StreamClock waited;                ///< and for these.
  StreamClock blocking;              ///< All work of streams that the legacy stream waits for.
  std::optional<WorkStamp> now;      ///< Of the piece that is being done.
};

/// Whether two streams of the program may run beside each other, and work is done at once.
[[nodiscard]] bool TracksOrder(const State& state);

/// Performs `work`, which `stream` is given behind all that it has been given.
cudaError_t PerformInOrder(State& state, CUstream_st& stream, const Work& work, Until until);

/// The host has waited for a stream, an event, everything.
void NoteWaitForStream(State& state, const CUstream_st& stream);
void NoteWaitForEvent(State& state, const CUevent_st& event);
void NoteWaitForAll(State& state);
/// What `stream` is given next is behind `event`.
void NoteOrder(CUstream_st& stream, const CUevent_st& event);

/// While it lives, what the device does is the piece of State::order.now.
class DeviceWork {
 public:
  explicit DeviceWork(State& state);
  ~DeviceWork();
  DeviceWork(const DeviceWork&) = delete;
  DeviceWork& operator=(const DeviceWork&) = delete;

 private:
  State& state_;
  bool told_ = false;
};

}  // namespace assay::gpu::runtime

#endif  // ASSAY_CUDART_RUNTIME_STREAM_ORDER_H_
