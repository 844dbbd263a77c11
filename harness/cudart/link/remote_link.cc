// SPDX-License-Identifier: Apache-2.0
#include "cudart/link/remote_link.h"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <string>
#include <tuple>

#include "base/text.h"
#include "emulator/report/cuda_error.h"

namespace assay::gpu::remote {
namespace {

DeviceError NameTooLong() {
  return {cuda_error::kInvalidValue, "a name is longer than the wire carries"};
}

/// The value that was read, if the reply had the length that it should have.
template <class T>
DeviceResult<T> Whole(const Reader& reader, T value) {
  if (!reader.IsDone()) {
    return std::unexpected(DeviceError{cuda_error::kUnknown, "the device's reply is malformed"});
  }
  return value;
}

/// Calls `part(offset, size)` for each chunk of `size_bytes`, once if there are none, until one
/// fails.
template <class Part>
DeviceStatus InChunks(std::size_t size_bytes, Part part) {
  std::size_t offset = 0;
  do {
    const std::size_t chunk_bytes = std::min(size_bytes - offset, kChunkBytes);
    if (auto done = part(offset, chunk_bytes); !done) {
      return done;
    }
    offset += chunk_bytes;
  } while (offset < size_bytes);
  return {};
}

}  // namespace

RemoteLink::RemoteLink(Transport* transport) : transport_(transport), reply_(kMaxMessageBytes) {}

std::unique_ptr<RemoteLink> RemoteLink::Connect(Transport* transport) {
  std::unique_ptr<RemoteLink> link(new RemoteLink(transport));
  link->Begin(Call::kModel);
  auto reply = link->Send();
  if (!reply) {
    return nullptr;
  }
  link->model_ = ReadModel(*reply);
  return reply->IsDone() ? std::move(link) : nullptr;
}

Writer RemoteLink::Begin(Call call) {
  request_.clear();
  Writer writer(&request_);
  writer.Number(static_cast<std::uint32_t>(call));
  return writer;
}

DeviceResult<Reader> RemoteLink::Send(std::span<const std::byte> data) {
  if (request_.size() + data.size() > kMaxMessageBytes) {
    return std::unexpected(DeviceError{cuda_error::kInvalidValue,
                                       "a list of kernels is longer than the wire carries"});
  }
  const auto size_bytes = transport_->Exchange(request_, data, reply_);
  if (!size_bytes) {
    return std::unexpected(
        DeviceError{cuda_error::kCudartUnloading,
                    "the device can be reached only while the grader waits for an answer"});
  }
  Reader reader(std::span<const std::byte>(reply_).first(std::min(*size_bytes, reply_.size())));
  if (const auto code = reader.Number<std::int32_t>(); code != 0) {
    return std::unexpected(DeviceError{code, std::string(reader.Text(kMaxDetailBytes))});
  }
  return reader;
}

DeviceStatus RemoteLink::SendAndExpectNothing(std::span<const std::byte> data) {
  const auto reply = Send(data);
  if (!reply) {
    return std::unexpected(reply.error());
  }
  return {};
}

DeviceResult<ModuleId> RemoteLink::LoadModule(std::string_view ptx,
                                              std::span<const MachineCode> machine_code) {
  if (ptx.size() > kMaxModuleBytes) {
    return std::unexpected(
        DeviceError{cuda_error::kInvalidValue,
                    "the module's PTX is longer than the grader's device takes (32 MiB)"});
  }
  const auto sent = InChunks(ptx.size(), [&](std::size_t offset, std::size_t size) {
    Begin(Call::kModuleText).Number(std::uint64_t{offset}).Number(static_cast<std::uint32_t>(size));
    return SendAndExpectNothing(std::as_bytes(std::span(ptx.substr(offset, size))));
  });
  if (!sent) {
    return std::unexpected(sent.error());
  }
  const auto is_short = [](const MachineCode& code) { return code.kernel.size() <= kMaxNameBytes; };
  Writer writer = Begin(Call::kLoadModule);
  writer.Number(std::uint64_t{ptx.size()})
      .Number(static_cast<std::uint32_t>(std::ranges::count_if(machine_code, is_short)));
  for (const auto& [kernel, registers, local_bytes] : machine_code | std::views::filter(is_short)) {
    writer.Text(kernel).Number(registers).Number(local_bytes);
  }
  auto reply = Send();
  if (!reply) {
    return std::unexpected(reply.error());
  }
  const auto module = reply->Number<ModuleId>();
  return Whole(*reply, module);
}

DeviceStatus RemoteLink::UnloadModule(ModuleId module) {
  Begin(Call::kUnloadModule).Number(module);
  return SendAndExpectNothing();
}

DeviceResult<KernelInfo> RemoteLink::FindKernel(ModuleId module, std::string_view name) {
  if (name.size() > kMaxNameBytes) {
    return std::unexpected(NameTooLong());
  }
  Begin(Call::kFindKernel).Number(module).Text(name);
  auto reply = Send();
  if (!reply) {
    return std::unexpected(reply.error());
  }
  KernelInfo kernel = ReadKernel(*reply);
  return Whole(*reply, std::move(kernel));
}

DeviceResult<DeviceVariable> RemoteLink::FindVariable(ModuleId module, std::string_view name) {
  if (name.size() > kMaxNameBytes) {
    return std::unexpected(NameTooLong());
  }
  Begin(Call::kFindVariable).Number(module).Text(name);
  auto reply = Send();
  if (!reply) {
    return std::unexpected(reply.error());
  }
  const auto address = reply->Number<std::uint64_t>();
  const auto size_bytes = reply->Number<std::uint64_t>();
  return Whole(*reply, DeviceVariable{address, size_bytes});
}

DeviceResult<std::uint64_t> RemoteLink::Allocate(std::uint64_t size_bytes) {
  Begin(Call::kAllocate).Number(size_bytes);
  auto reply = Send();
  if (!reply) {
    return std::unexpected(reply.error());
  }
  const auto address = reply->Number<std::uint64_t>();
  return Whole(*reply, address);
}

DeviceStatus RemoteLink::Free(std::uint64_t address) {
  Begin(Call::kFree).Number(address);
  return SendAndExpectNothing();
}

DeviceStatus RemoteLink::CopyToDevice(std::uint64_t to, std::span<const std::byte> from) {
  return InChunks(from.size(), [&](std::size_t offset, std::size_t size) {
    Begin(Call::kCopyToDevice).Number(to + offset).Number(static_cast<std::uint32_t>(size));
    return SendAndExpectNothing(from.subspan(offset, size));
  });
}

DeviceStatus RemoteLink::CopyFromDevice(std::span<std::byte> to, std::uint64_t from) {
  return InChunks(to.size(), [&](std::size_t offset, std::size_t size) -> DeviceStatus {
    Begin(Call::kCopyFromDevice).Number(from + offset).Number(std::uint64_t{size});
    auto reply = Send();
    if (!reply) {
      return std::unexpected(reply.error());
    }
    const auto data = reply->Bytes(size);
    if (!reply->IsDone()) {
      return std::unexpected(DeviceError{cuda_error::kUnknown, "the device's reply is malformed"});
    }
    std::ranges::copy(data, to.begin() + static_cast<std::ptrdiff_t>(offset));
    return {};
  });
}

DeviceStatus RemoteLink::CopyOnDevice(std::uint64_t to, std::uint64_t from,
                                      std::uint64_t size_bytes) {
  Begin(Call::kCopyOnDevice).Number(to).Number(from).Number(size_bytes);
  return SendAndExpectNothing();
}

DeviceStatus RemoteLink::Fill(std::uint64_t to, std::span<const std::byte> pattern,
                              std::uint64_t count) {
  Begin(Call::kFill)
      .Number(to)
      .Number(count)
      .Number(static_cast<std::uint32_t>(pattern.size()))
      .Bytes(pattern);
  return SendAndExpectNothing();
}

std::optional<DeviceVariable> RemoteLink::AllocationOf(std::uint64_t address) {
  Begin(Call::kAllocationOf).Number(address);
  auto reply = Send();
  if (!reply) {
    return std::nullopt;
  }
  const bool found = reply->Number<std::uint8_t>() != 0;
  const auto base = reply->Number<std::uint64_t>();
  const auto size_bytes = reply->Number<std::uint64_t>();
  if (!found || !reply->IsDone()) {
    return std::nullopt;
  }
  return DeviceVariable{base, size_bytes};
}

MemoryInfo RemoteLink::Memory() {
  Begin(Call::kMemory);
  auto reply = Send();
  if (!reply) {
    return {};
  }
  MemoryInfo memory;
  memory.free_bytes = reply->Number<std::uint64_t>();
  memory.total_bytes = reply->Number<std::uint64_t>();
  return memory;
}

LaunchOutcome RemoteLink::Launch(const LaunchRequest& request) {
  if (request.parameters.size() > kMaxParameterBytes) {
    return {.error = cuda_error::kInvalidValue,
            .detail = "more bytes of parameters than a kernel can have"};
  }
  Writer writer = Begin(Call::kLaunch);
  Write(writer, request);
  auto reply = Send();
  if (!reply) {
    return {.error = reply.error().code, .detail = reply.error().detail};
  }
  LaunchOutcome outcome = ReadOutcome(*reply);
  if (!reply->IsDone()) {
    return {.error = cuda_error::kUnknown, .detail = "the device's reply is malformed"};
  }
  return outcome;
}

void RemoteLink::TellLack(std::string_view what) {
  std::string text;
  std::ranges::copy_if(what, std::back_inserter(text), IsPrintableAscii);
  text.resize(std::min(text.size(), kMaxLackBytes));
  Begin(Call::kLacks).Text(text);
  std::ignore = Send();  // The answer is that it lacks.
}

}  // namespace assay::gpu::remote
