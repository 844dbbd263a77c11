// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_HOST_RUNTIME_H_
#define ASSAY_HOST_RUNTIME_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>

#include "host/adapter.h"
#include "host/arenas.h"
#include "wire/channel.h"
#include "wire/protocol.h"

namespace assay::host {

/// The conversation of this process with the client: says hello, then answers until told to exit
/// or until nobody is there. None of it is a defence: the submission shares this address space and
/// may do as it likes. What makes its answers trustworthy is on the other side of the wire.
class Runtime {
 public:
  /// The one conversation of this process, begun when first asked for. Ends the process when there
  /// is no control memory. Never destroyed: static destructors still use it.
  static Runtime& Instance();

  /// Returns when the client asks for an orderly exit.
  void Serve();

  void* Save(const char* name, std::size_t bytes);
  const void* Load(const char* name, std::size_t* bytes);
  void* Context() { return &contexts_[callbacks_ / 2 % contexts_.size()]; }
  int Upcall(std::uint32_t id, std::initializer_list<Bytes> inputs,
             std::initializer_list<MutableBytes> outputs);
  /// See CallDevice in device.h.
  std::optional<std::size_t> CallDevice(std::initializer_list<Bytes> request,
                                        std::span<std::byte> reply);
  [[nodiscard]] bool has_device() const { return device_bytes_ != 0; }

 private:
  /// Whose turn it is to speak.
  enum class Stage : std::uint8_t {
    kStarting,     ///< Ours: before the hello.
    kIdle,         ///< The client's, or nobody's any more.
    kInOperation,  ///< Ours.
  };

  explicit Runtime(wire::Control* control);

  /// Waits for the next message and takes it into `frame`. Ends the process when its parent died.
  void Receive(void* frame, std::size_t capacity_bytes);
  void Call(const wire::CallFrame& call);
  [[nodiscard]] bool in_operation() const {
    return stage_.load(std::memory_order_relaxed) == Stage::kInOperation;
  }
  std::byte* DeviceMemory();
  /// Poisons the save area from its beginning to a guard behind `end_bytes`.
  void PoisonSaveArea(std::uint64_t end_bytes);
  [[nodiscard]] bool MaySave(const char* name, std::size_t bytes) const;

  union Request {
    wire::FrameHeader header;
    wire::LayoutFrame layout;
    wire::CallFrame call;
  };

  wire::Channel channel_;
  Arenas arenas_;
  int parent_;
  Request request_;  ///< During an operation: its call.
  /// Threads of a submission read it, in CallDevice.
  std::atomic<Stage> stage_ = Stage::kStarting;
  wire::ReturnFrame reply_;            ///< During an operation: what it has saved so far.
  std::uint64_t saved_end_bytes_ = 0;  ///< Where the next saved tensor may begin.
  std::uint64_t saved_total_bytes_ = 0;
  std::uint64_t callbacks_ = 0;          ///< Handed to calls so far.
  std::array<std::byte, 2> contexts_{};  ///< Only their addresses count.
  std::uint64_t save_poison_bytes_ = 0;  ///< Of the save area, but for saved tensors.
  std::uint64_t device_bytes_;
  std::byte* device_memory_ = nullptr;  ///< Mapped by the first call that needs it.
};

/// Runs the whole of main.
int Main();

}  // namespace assay::host

#endif  // ASSAY_HOST_RUNTIME_H_
