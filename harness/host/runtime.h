// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_HOST_RUNTIME_H_
#define ASSAY_HOST_RUNTIME_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>

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
  explicit Runtime(wire::Control* control);

  /// Returns when the client asks for an orderly exit.
  void Serve();

  void* Save(const char* name, std::size_t bytes);
  const void* Load(const char* name, std::size_t* bytes);
  int Upcall(std::uint32_t id, std::initializer_list<Bytes> inputs,
             std::initializer_list<MutableBytes> outputs);

 private:
  /// Waits for the next message and takes it into `frame`. Ends the process when its parent died.
  void Receive(void* frame, std::size_t capacity_bytes);
  void Call(const wire::CallFrame& call);
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
  bool in_operation_ = false;
  wire::ReturnFrame reply_;            ///< During an operation: what it has saved so far.
  std::uint64_t saved_end_bytes_ = 0;  ///< Where the next saved tensor may begin.
  std::uint64_t saved_total_bytes_ = 0;
};

/// Runs the whole of main. `control` memory arrives as wire::kControlFd.
int Main();

}  // namespace assay::host

#endif  // ASSAY_HOST_RUNTIME_H_
