// SPDX-License-Identifier: Apache-2.0
#include "gpu/server/device_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "emulator/report/cuda_error.h"

namespace assay::gpu::remote {
namespace {

constexpr std::string_view kIncomplete = "it does not have the length that its kind has";

void Succeed(Writer& writer) { writer.Number(std::int32_t{0}); }

void Fail(Writer& writer, int code, std::string_view detail) {
  writer.Number(std::int32_t{code}).Text(detail.substr(0, kMaxDetailBytes));
}

/// Whether a call worked; says so in the reply.
template <class T>
bool Answer(Writer& writer, const DeviceResult<T>& result) {
  if (result) {
    Succeed(writer);
  } else {
    Fail(writer, result.error().code, result.error().detail);
  }
  return result.has_value();
}

}  // namespace

DeviceServer::DeviceServer(DeviceLink* device, ServerLimits limits)
    : device_(device), limits_(limits) {}

std::expected<void, std::string> DeviceServer::Serve(std::span<const std::byte> request,
                                                     std::vector<std::byte>* reply) {
  Reader reader(request);
  Writer writer(reply);
  const auto call = static_cast<Call>(reader.Number<std::uint32_t>());
  if (Fault fault = Dispatch(call, reader, writer); !fault.empty()) {
    return std::unexpected(std::move(fault));
  }
  return {};
}

DeviceServer::Fault DeviceServer::Dispatch(Call call, Reader& reader, Writer& writer) {
  switch (call) {
    case Call::kModel:
    case Call::kMemory: {
      if (!reader.IsDone()) {
        return Fault(kIncomplete);
      }
      Succeed(writer);
      if (call == Call::kModel) {
        Write(writer, device_->model());
      } else {
        const MemoryInfo memory = device_->Memory();
        writer.Number(memory.free_bytes).Number(memory.total_bytes);
      }
      return {};
    }
    case Call::kModuleText:
      return AddModuleText(reader, writer);
    case Call::kLoadModule:
      return LoadModule(reader, writer);
    case Call::kUnloadModule:
      return UnloadModule(reader, writer);
    case Call::kFindKernel:
      return FindKernel(reader, writer);
    case Call::kFindVariable:
      return FindVariable(reader, writer);
    case Call::kAllocate:
      return Allocate(reader, writer);
    case Call::kFree:
      return Free(reader, writer);
    case Call::kCopyToDevice:
      return CopyToDevice(reader, writer);
    case Call::kCopyFromDevice:
      return CopyFromDevice(reader, writer);
    case Call::kCopyOnDevice:
      return CopyOnDevice(reader, writer);
    case Call::kFill:
      return Fill(reader, writer);
    case Call::kAllocationOf:
      return AllocationOf(reader, writer);
    case Call::kLaunch:
      return Launch(reader, writer);
    case Call::kLacks:
      return Lacks(reader, writer);
  }
  return fmt::format("it asks for {}, which is no call", std::to_underlying(call));
}

DeviceServer::Fault DeviceServer::AddModuleText(Reader& reader, Writer& writer) {
  const auto offset = reader.Number<std::uint64_t>();
  const std::string_view text = reader.Text(kChunkBytes);
  if (!reader.IsDone()) {
    return Fault(kIncomplete);
  }
  if (offset == 0) {
    text_.clear();
  }
  if (offset != text_.size()) {
    return "a module's text leaves something out";
  }
  if (text.size() > kMaxModuleBytes - text_.size()) {
    return fmt::format("a module's text is longer than {} bytes", kMaxModuleBytes);
  }
  text_ += text;
  Succeed(writer);
  return {};
}

DeviceServer::Fault DeviceServer::LoadModule(Reader& reader, Writer& writer) {
  constexpr std::size_t kLeastEntryBytes = 12;
  const auto text_bytes = reader.Number<std::uint64_t>();
  std::vector<MachineCode> machine_code(reader.Count(kLeastEntryBytes));
  for (auto& [kernel, registers, local_bytes] : machine_code) {
    kernel = reader.Text(kMaxNameBytes);
    registers = reader.Number<std::uint32_t>();
    local_bytes = reader.Number<std::uint32_t>();
  }
  if (!reader.IsDone()) {
    return Fault(kIncomplete);
  }
  if (text_bytes != text_.size()) {
    return "a module's text does not have the length that it says";
  }
  const std::string text = std::exchange(text_, {});
  if (modules_.size() >= limits_.modules ||
      text.size() > limits_.module_text_bytes - module_text_bytes_) {
    Fail(writer, cuda_error::kMemoryAllocation,
         fmt::format("more than {} modules, or {} bytes of PTX, are loaded", limits_.modules,
                     limits_.module_text_bytes));
    return {};
  }
  const auto module = device_->LoadModule(text, machine_code);
  if (Answer(writer, module)) {
    writer.Number(*module);
    modules_[*module] = text.size();
    module_text_bytes_ += text.size();
  }
  return {};
}

bool DeviceServer::IsLoaded(Writer& writer, ModuleId module) const {
  const bool loaded = modules_.contains(module);
  if (!loaded) {
    Fail(writer, cuda_error::kInvalidResourceHandle, "no such module is loaded");
  }
  return loaded;
}

DeviceServer::Fault DeviceServer::UnloadModule(Reader& reader, Writer& writer) {
  const auto module = reader.Number<ModuleId>();
  if (!reader.IsDone()) {
    return Fault(kIncomplete);
  }
  if (IsLoaded(writer, module) && Answer(writer, device_->UnloadModule(module))) {
    const auto unloaded = modules_.find(module);
    module_text_bytes_ -= unloaded->second;
    modules_.erase(unloaded);
  }
  return {};
}

DeviceServer::Fault DeviceServer::FindKernel(Reader& reader, Writer& writer) {
  const auto module = reader.Number<ModuleId>();
  const std::string_view name = reader.Text(kMaxNameBytes);
  if (!reader.IsDone()) {
    return Fault(kIncomplete);
  }
  if (!IsLoaded(writer, module)) {
    return {};
  }
  const auto kernel = device_->FindKernel(module, name);
  // Its PTX may say that it has any number of parameters.
  if (kernel && (kernel->parameter_bytes > kMaxParameterBytes ||
                 kernel->parameter_offsets.size() > kMaxParameterBytes ||
                 kernel->parameter_sizes.size() > kMaxParameterBytes)) {
    Fail(writer, cuda_error::kInvalidValue,
         fmt::format("{} has more than {} bytes of parameters", name, kMaxParameterBytes));
  } else if (Answer(writer, kernel)) {
    Write(writer, *kernel);
  }
  return {};
}

DeviceServer::Fault DeviceServer::FindVariable(Reader& reader, Writer& writer) {
  const auto module = reader.Number<ModuleId>();
  const std::string_view name = reader.Text(kMaxNameBytes);
  if (!reader.IsDone()) {
    return Fault(kIncomplete);
  }
  if (!IsLoaded(writer, module)) {
    return {};
  }
  if (const auto variable = device_->FindVariable(module, name); Answer(writer, variable)) {
    writer.Number(variable->address).Number(variable->size_bytes);
  }
  return {};
}

DeviceServer::Fault DeviceServer::Allocate(Reader& reader, Writer& writer) {
  const auto size_bytes = reader.Number<std::uint64_t>();
  if (!reader.IsDone()) {
    return Fault(kIncomplete);
  }
  if (allocations_ >= limits_.allocations) {
    Fail(writer, cuda_error::kMemoryAllocation,
         fmt::format("more than {} allocations are live", limits_.allocations));
    return {};
  }
  if (const auto address = device_->Allocate(size_bytes); Answer(writer, address)) {
    writer.Number(*address);
    allocations_ += *address != 0 ? 1U : 0U;
  }
  return {};
}

DeviceServer::Fault DeviceServer::Free(Reader& reader, Writer& writer) {
  const auto address = reader.Number<std::uint64_t>();
  if (!reader.IsDone()) {
    return Fault(kIncomplete);
  }
  if (Answer(writer, device_->Free(address)) && address != 0) {
    --allocations_;
  }
  return {};
}

DeviceServer::Fault DeviceServer::CopyToDevice(Reader& reader, Writer& writer) {
  const auto to = reader.Number<std::uint64_t>();
  const std::string_view data = reader.Text(kChunkBytes);
  if (!reader.IsDone()) {
    return Fault(kIncomplete);
  }
  (void)Answer(writer, device_->CopyToDevice(to, std::as_bytes(std::span(data))));
  return {};
}

DeviceServer::Fault DeviceServer::CopyFromDevice(Reader& reader, Writer& writer) {
  const auto from = reader.Number<std::uint64_t>();
  const auto size_bytes = reader.Number<std::uint64_t>();
  if (!reader.IsDone()) {
    return Fault(kIncomplete);
  }
  if (size_bytes > kChunkBytes) {
    return fmt::format("a copy of {} bytes in one message", size_bytes);
  }
  data_.resize(size_bytes);
  if (Answer(writer, device_->CopyFromDevice(data_, from))) {
    writer.Bytes(data_);
  }
  return {};
}

DeviceServer::Fault DeviceServer::CopyOnDevice(Reader& reader, Writer& writer) {
  const auto to = reader.Number<std::uint64_t>();
  const auto from = reader.Number<std::uint64_t>();
  const auto size_bytes = reader.Number<std::uint64_t>();
  if (!reader.IsDone()) {
    return Fault(kIncomplete);
  }
  (void)Answer(writer, device_->CopyOnDevice(to, from, size_bytes));
  return {};
}

DeviceServer::Fault DeviceServer::Fill(Reader& reader, Writer& writer) {
  const auto to = reader.Number<std::uint64_t>();
  const auto count = reader.Number<std::uint64_t>();
  const std::string_view pattern = reader.Text(sizeof(std::uint32_t));
  if (!reader.IsDone()) {
    return Fault(kIncomplete);
  }
  if (pattern.empty() || pattern.size() == 3) {
    return fmt::format("a pattern of {} bytes", pattern.size());
  }
  if (count > ~std::uint64_t{0} / pattern.size()) {
    Fail(writer, cuda_error::kInvalidValue, "more bytes than there are addresses");
    return {};
  }
  (void)Answer(writer, device_->Fill(to, std::as_bytes(std::span(pattern)), count));
  return {};
}

DeviceServer::Fault DeviceServer::AllocationOf(Reader& reader, Writer& writer) {
  const auto address = reader.Number<std::uint64_t>();
  if (!reader.IsDone()) {
    return Fault(kIncomplete);
  }
  const auto found = device_->AllocationOf(address);
  Succeed(writer);
  writer.Number(std::uint8_t{found.has_value()})
      .Number(found ? found->address : 0)
      .Number(found ? found->size_bytes : 0);
  return {};
}

DeviceServer::Fault DeviceServer::Launch(Reader& reader, Writer& writer) {
  const LaunchRequest request = ReadLaunch(reader);
  if (!reader.IsDone()) {
    return Fault(kIncomplete);
  }
  Succeed(writer);
  Write(writer, device_->Launch(request));
  return {};
}

// An error in the reply is what whoever records refusals finds. A host that lies here says of
// itself that it cannot be judged.
DeviceServer::Fault DeviceServer::Lacks(Reader& reader, Writer& writer) {
  const std::string_view what = reader.Text(kMaxLackBytes);
  if (!reader.IsDone()) {
    return Fault(kIncomplete);
  }
  if (!std::ranges::all_of(what, IsPrintableAscii)) {
    return "it says that something lacks, in characters that no runtime uses";
  }
  Fail(writer, cuda_error::kNotSupported, what);
  return {};
}

}  // namespace assay::gpu::remote
