// SPDX-License-Identifier: Apache-2.0
#include "host/runtime.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "host/device.h"
#include "host/operations.h"
#include "host/sanitizer.h"

namespace assay::host {
namespace {

/// How often a sleeping host looks whether its parent still lives. Sandboxes kill it with its
/// parent; this is for the day they do not.
constexpr std::uint64_t kParentCheck_ns = 1'000'000'000;

/// So much behind what is saved is poisoned. A save area is many times as large, and marking all of
/// it, twice, would take longer than most calls.
constexpr std::uint64_t kSaveGuard_bytes = std::uint64_t{1} << 20;

wire::Control* MapControl() {
  void* memory = ::mmap(nullptr, sizeof(wire::Control), PROT_READ | PROT_WRITE, MAP_SHARED,
                        wire::kControlFd, 0);
  if (memory == MAP_FAILED) {
    Die("host: no control memory; this program is started by the grader, not by hand\n");
  }
  auto* control = static_cast<wire::Control*>(memory);
  if (control->magic != wire::kMagic || control->version != wire::kVersion) {
    Die("host: built for another version of the protocol; build it again\n");
  }
  return control;
}

constexpr std::uint64_t AlignUp(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

}  // namespace

void* Save(void* context, const char* name, std::size_t bytes) {
  return context == Context() ? Runtime::Instance().Save(name, bytes) : nullptr;
}

const void* Load(void* context, const char* name, std::size_t* bytes) {
  return context == Context() ? Runtime::Instance().Load(name, bytes) : nullptr;
}

void* Context() { return Runtime::Instance().Context(); }

int Upcall(std::uint32_t id, std::initializer_list<Bytes> inputs,
           std::initializer_list<MutableBytes> outputs) {
  return Runtime::Instance().Upcall(id, inputs, outputs);
}

bool HasDevice() { return Runtime::Instance().has_device(); }

std::optional<std::size_t> CallDevice(std::initializer_list<Bytes> request,
                                      std::span<std::byte> reply) {
  return Runtime::Instance().CallDevice(request, reply);
}

int Main() {
  Runtime::Instance().Serve();
  return 0;
}

Runtime& Runtime::Instance() {
  static_assert(std::is_trivially_destructible_v<Runtime>);
  static Runtime runtime(MapControl());
  return runtime;
}

Runtime::Runtime(wire::Control* control)
    : channel_(&control->to_client, &control->to_host, control->host_spin_ns),
      parent_(::getppid()),
      device_bytes_(control->device_bytes) {}

void Runtime::Serve() {
  stage_.store(Stage::kIdle, std::memory_order_relaxed);
  wire::HelloFrame hello;
  channel_.Put(&hello, Operations::Instance().FillHello(&hello));
  while (true) {
    Receive(&request_, sizeof request_);
    switch (request_.header.type) {
      case wire::FrameType::kLayout: {
        arenas_.Apply(request_.layout);
        const wire::PlainFrame done{{wire::FrameType::kDone, sizeof(wire::PlainFrame)}};
        channel_.Put(&done, sizeof done);
        break;
      }
      case wire::FrameType::kCall:
        Call(request_.call);
        break;
      case wire::FrameType::kExit:
        return;
      default:
        Die("host: a message that it does not know\n");
    }
  }
}

void Runtime::Receive(void* frame, std::size_t capacity_bytes) {
  wire::Arrival arrival = channel_.Spin();
  while (arrival == wire::Arrival::kNothing) {
    arrival = channel_.Sleep(kParentCheck_ns);
    if (::getppid() != parent_) {
      ::_exit(0);
    }
  }
  if (arrival != wire::Arrival::kMessage || channel_.Take(frame, capacity_bytes) == 0) {
    Die("host: a malformed message\n");
  }
}

void Runtime::Call(const wire::CallFrame& call) {
  const Operation* operation = Operations::Instance().At(call.operation);
  if (operation == nullptr || call.argument_count != operation->parameter_count) {
    Die("host: a call that does not fit its table of operations\n");
  }
  Argument arguments[wire::kMaxParameters];
  for (std::size_t i = 0; i < operation->parameter_count; ++i) {
    const std::uint64_t value = call.arguments[i].value;
    switch (operation->parameters[i].kind) {
      case wire::ParameterKind::kInput:
        arguments[i].pointer = value == wire::kNullOffset_bytes ? nullptr : arenas_.Input(value);
        break;
      case wire::ParameterKind::kOutput:
        arguments[i].pointer = value == wire::kNullOffset_bytes ? nullptr : arenas_.Output(value);
        break;
      case wire::ParameterKind::kSave:
      case wire::ParameterKind::kLoad:
        ++callbacks_;
        break;
      default:
        arguments[i].bits = value;
    }
  }
  const std::byte* save_area = arenas_.Output(call.save_offset_bytes);
  // Where the last call saved too: its pointers are no longer to be written through.
  save_poison_bytes_ = 0;
  PoisonSaveArea(saved_end_bytes_);
  saved_end_bytes_ = 0;
  saved_total_bytes_ = 0;
  reply_.saved_count = 0;
  stage_.store(Stage::kInOperation, std::memory_order_relaxed);
  reply_.status = operation->invoke(arguments);
  stage_.store(Stage::kIdle, std::memory_order_relaxed);
  Unpoison(save_area, save_poison_bytes_);
  reply_.header = {wire::FrameType::kReturn, static_cast<std::uint32_t>(ASSAY_WIRE_FRAME_BYTES(
                                                 wire::ReturnFrame, saved, reply_.saved_count))};
  channel_.Put(&reply_, reply_.header.length_bytes);
}

void Runtime::PoisonSaveArea(std::uint64_t end_bytes) {
  const wire::CallFrame& call = request_.call;
  const std::uint64_t wanted_bytes =
      std::min(call.save_bytes, AlignUp(end_bytes, wire::kAlignmentBytes) + kSaveGuard_bytes);
  if (wanted_bytes > save_poison_bytes_) {
    Poison(arenas_.Output(call.save_offset_bytes + save_poison_bytes_),
           wanted_bytes - save_poison_bytes_);
    save_poison_bytes_ = wanted_bytes;
  }
}

bool Runtime::MaySave(const char* name, std::size_t bytes) const {
  const wire::CallFrame& call = request_.call;
  if (!in_operation() || name == nullptr || reply_.saved_count >= call.save_limit_count ||
      bytes > call.save_limit_bytes - saved_total_bytes_ || saved_end_bytes_ > call.save_bytes ||
      bytes > call.save_bytes - saved_end_bytes_) {
    return false;
  }
  const std::size_t length = ::strnlen(name, wire::kNameBytes);
  if (length == 0 || length >= wire::kNameBytes) {
    return false;
  }
  for (std::uint32_t i = 0; i < reply_.saved_count; ++i) {
    if (std::strcmp(reply_.saved[i].name, name) == 0) {
      return false;
    }
  }
  return true;
}

void* Runtime::Save(const char* name, std::size_t bytes) {
  if (!MaySave(name, bytes)) {
    return nullptr;
  }
  wire::Tensor& tensor = reply_.saved[reply_.saved_count++];
  std::strcpy(tensor.name, name);  // MaySave has checked its length.
  tensor.offset_bytes = saved_end_bytes_;
  tensor.size_bytes = bytes;
  saved_total_bytes_ += bytes;
  // At least one alignment's worth of bytes that belong to no tensor: the client finds out when
  // they were written.
  saved_end_bytes_ =
      AlignUp(saved_end_bytes_ + bytes, wire::kAlignmentBytes) + wire::kAlignmentBytes;
  PoisonSaveArea(saved_end_bytes_);
  std::byte* memory = arenas_.Output(request_.call.save_offset_bytes + tensor.offset_bytes);
  Unpoison(memory, bytes);
  return memory;
}

const void* Runtime::Load(const char* name, std::size_t* bytes) {
  if (!in_operation() || name == nullptr) {
    return nullptr;
  }
  for (std::uint32_t i = 0; i < request_.call.load_count; ++i) {
    const wire::Tensor& tensor = request_.call.loads[i];
    if (std::strcmp(tensor.name, name) == 0) {
      if (bytes != nullptr) {
        *bytes = tensor.size_bytes;
      }
      return arenas_.Input(tensor.offset_bytes);
    }
  }
  return nullptr;
}

int Runtime::Upcall(std::uint32_t id, std::initializer_list<Bytes> inputs,
                    std::initializer_list<MutableBytes> outputs) {
  if (!in_operation() || inputs.size() + outputs.size() > wire::kMaxUpcallBuffers) {
    Die("host: an upcall outside an operation, or with more than 16 buffers\n");
  }
  wire::UpcallFrame upcall{};
  std::byte* area = arenas_.Output(request_.call.upcall_offset_bytes);
  std::uint64_t end_bytes = 0;
  std::size_t next = 0;
  const auto add = [&](std::size_t size_bytes) {
    const std::uint64_t offset_bytes = end_bytes;
    end_bytes = AlignUp(end_bytes + size_bytes, wire::kAlignmentBytes);
    if (end_bytes > request_.call.upcall_bytes) {
      Die("host: an upcall with more bytes than the suite made room for\n");
    }
    upcall.buffers[next++] = {offset_bytes, size_bytes};
    return area + offset_bytes;
  };
  for (const Bytes& input : inputs) {
    if (std::byte* copy = add(input.size); input.size > 0) {
      std::memcpy(copy, input.data, input.size);
    }
  }
  for (const MutableBytes& output : outputs) {
    add(output.size);
  }
  upcall.header = {wire::FrameType::kUpcall, static_cast<std::uint32_t>(ASSAY_WIRE_FRAME_BYTES(
                                                 wire::UpcallFrame, buffers, next))};
  upcall.id = id;
  upcall.input_count = static_cast<std::uint32_t>(inputs.size());
  upcall.output_count = static_cast<std::uint32_t>(outputs.size());
  channel_.Put(&upcall, upcall.header.length_bytes);

  wire::UpcallReplyFrame reply{};
  Receive(&reply, sizeof reply);
  next = inputs.size();
  for (const MutableBytes& output : outputs) {
    if (output.size > 0) {
      std::memcpy(output.data, area + upcall.buffers[next].offset_bytes, output.size);
    }
    ++next;
  }
  return reply.status;
}

std::byte* Runtime::DeviceMemory() {
  if (device_memory_ == nullptr) {
    void* memory =
        ::mmap(nullptr, device_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, wire::kDeviceFd, 0);
    if (memory == MAP_FAILED) {
      Die("host: cannot map the memory that carries messages to the device\n");
    }
    device_memory_ = static_cast<std::byte*>(memory);
  }
  return device_memory_;
}

std::optional<std::size_t> Runtime::CallDevice(std::initializer_list<Bytes> request,
                                               std::span<std::byte> reply) {
  std::size_t size_bytes = 0;
  for (const Bytes& part : request) {
    size_bytes += part.size;
  }
  if (!has_device() || size_bytes > device_bytes_ ||
      stage_.load(std::memory_order_relaxed) == Stage::kIdle) {
    return std::nullopt;
  }
  wire::DeviceFrame frame;
  const bool is_inline = size_bytes <= wire::DeviceFrame::kInlineBytes;
  std::byte* to = is_inline ? frame.message : DeviceMemory();
  for (const Bytes& part : request) {
    if (part.size > 0) {
      std::memcpy(to, part.data, part.size);
      to += part.size;
    }
  }
  frame.header = {wire::FrameType::kDeviceCall,
                  static_cast<std::uint32_t>(offsetof(wire::DeviceFrame, message) +
                                             (is_inline ? size_bytes : 0))};
  frame.size_bytes = size_bytes;
  channel_.Put(&frame, frame.header.length_bytes);

  Receive(&frame, sizeof frame);
  if (frame.header.type != wire::FrameType::kDeviceReply) {
    Die("host: an answer that is not the device's\n");
  }
  const std::size_t taken_bytes = std::min<std::size_t>(frame.size_bytes, reply.size());
  if (taken_bytes > 0) {
    std::memcpy(
        reply.data(),
        frame.size_bytes <= wire::DeviceFrame::kInlineBytes ? frame.message : DeviceMemory(),
        taken_bytes);
  }
  return frame.size_bytes;
}

}  // namespace assay::host
