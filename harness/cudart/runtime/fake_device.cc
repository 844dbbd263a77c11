// SPDX-License-Identifier: Apache-2.0
#include "cudart/runtime/fake_device.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <utility>

#include "cudart/runtime/attachment.h"

extern "C" {
void** __cudaRegisterFatBinary(void* wrapper);
void __cudaRegisterFatBinaryEnd(void** handle);
void __cudaUnregisterFatBinary(void** handle);
void __cudaRegisterFunction(void** handle, const char* stub, char* device_stub, const char* name,
                            int thread_limit, uint3* thread, uint3* block, dim3* block_size,
                            dim3* grid_size, int* warp_size);
void __cudaRegisterVar(void** handle, char* host_address, char* device_address, const char* name,
                       int is_extern, std::size_t size_bytes, int is_constant, int is_global);
void __cudaRegisterManagedVar(void** handle, void** pointer_address, char* device_address,
                              const char* name, int is_extern, std::size_t size_bytes,
                              int is_constant, int is_global);
}

namespace assay::gpu::runtime {
namespace {

constexpr std::uint64_t kTotalBytes = std::uint64_t{1} << 32;

DeviceError InvalidValue(std::string_view what) {
  return {.code = cudaErrorInvalidValue, .detail = std::string(what)};
}

class FakeAttachment : public Attachment {
 public:
  DeviceLink* device() override { return &Fake(); }
  WorkOrder order() override { return Order(); }
  Refusals refusals() override { return KeptRefusals(); }
  void OnNotice(std::string_view function, int /*code*/, std::string_view detail) override {
    Notices().push_back(std::string(function) + ": " + std::string(detail));
  }
};

struct Wrapper {
  std::uint32_t magic = 0x466243B1;
  std::uint32_t version = 1;
  const void* data = nullptr;
  const void* name = nullptr;
};

char kernel_stub;
char nothing_stub;
char pointer_stub;
char unknown_stub;

}  // namespace

Attachment& RuntimeAttachment() {
  static auto* const attachment = new FakeAttachment;
  return *attachment;
}

FakeDevice& Fake() {
  static auto* const device = new FakeDevice;
  return *device;
}

std::vector<std::string>& Notices() {
  static auto* const notices = new std::vector<std::string>;
  return *notices;
}

Refusals& KeptRefusals() {
  static Refusals refusals = Refusals::kAreForgotten;
  return refusals;
}

WorkOrder& Order() {
  static auto* const order = new WorkOrder(WorkOrder::kAtOnce);
  return *order;
}

DeviceResult<ModuleId> FakeDevice::LoadModule(
    std::string_view ptx, std::span<const std::pair<std::string, std::uint32_t>> /*registers*/) {
  if (load_error) {
    return std::unexpected(*load_error);
  }
  modules.emplace_back(ptx);
  for (const auto& [name, size_bytes] : {std::pair{kVariable, 16}, std::pair{kManaged, 8}}) {
    variables_[std::string(name)] = *Allocate(static_cast<std::uint64_t>(size_bytes));
  }
  constexpr std::uint64_t kInitial = 7;
  std::memcpy(At(variables_[std::string(kManaged)]).data(), &kInitial, sizeof kInitial);
  return static_cast<ModuleId>(modules.size());
}

DeviceStatus FakeDevice::UnloadModule(ModuleId /*module*/) {
  for (const auto& [name, address] : variables_) {
    memory_.erase(address);
  }
  variables_.clear();
  return {};
}

DeviceResult<KernelInfo> FakeDevice::FindKernel(ModuleId module, std::string_view name) {
  KernelInfo info;
  info.name = name;
  if (name == kKernel) {
    info.id = module * 10 + 1;
    info.parameter_offsets = {0, 8};
    info.parameter_sizes = {4, 8};
    info.parameter_bytes = 16;
    info.resources.registers_per_thread = 96;
    info.resources.static_shared_bytes = kStaticSharedBytes;
  } else if (name == kNothing) {
    info.id = module * 10 + 2;
  } else if (name == kPointer) {
    info.id = module * 10 + 3;
    info.parameter_offsets = {0};
    info.parameter_sizes = {8};
    info.parameter_bytes = 8;
  } else {
    return std::unexpected(DeviceError{.code = cudaErrorInvalidDeviceFunction, .detail = {}});
  }
  return info;
}

DeviceResult<DeviceVariable> FakeDevice::FindVariable(ModuleId /*module*/, std::string_view name) {
  const auto found = variables_.find(name);
  if (found == variables_.end()) {
    return std::unexpected(DeviceError{.code = cudaErrorInvalidSymbol, .detail = {}});
  }
  return DeviceVariable{.address = found->second, .size_bytes = memory_.at(found->second).size()};
}

DeviceResult<std::uint64_t> FakeDevice::Allocate(std::uint64_t size_bytes) {
  if (size_bytes > Memory().free_bytes) {
    return std::unexpected(DeviceError{.code = cudaErrorMemoryAllocation, .detail = "no room"});
  }
  const std::uint64_t address = next_address_;
  next_address_ += (size_bytes + 0x3ff) / 0x200 * 0x200;
  memory_[address].assign(size_bytes, std::byte{0xfb});
  return address;
}

DeviceStatus FakeDevice::Free(std::uint64_t address) {
  if (memory_.erase(address) == 0) {
    return std::unexpected(InvalidValue("freed what is not allocated"));
  }
  return {};
}

std::span<std::byte> FakeDevice::At(std::uint64_t address) {
  const auto found = AllocationOf(address);
  return found ? std::span(memory_.at(found->address)).subspan(address - found->address)
               : std::span<std::byte>();
}

DeviceStatus FakeDevice::CopyToDevice(std::uint64_t to, std::span<const std::byte> from) {
  const auto there = At(to);
  if (there.size() < from.size()) {
    return std::unexpected(InvalidValue("copied past an allocation"));
  }
  std::ranges::copy(from, there.begin());
  return {};
}

DeviceStatus FakeDevice::CopyFromDevice(std::span<std::byte> to, std::uint64_t from) {
  const auto there = At(from);
  if (there.size() < to.size()) {
    return std::unexpected(InvalidValue("copied past an allocation"));
  }
  std::ranges::copy(there.first(to.size()), to.begin());
  return {};
}

DeviceStatus FakeDevice::CopyOnDevice(std::uint64_t to, std::uint64_t from,
                                      std::uint64_t size_bytes) {
  const auto there = At(from);
  if (there.size() < size_bytes) {
    return std::unexpected(InvalidValue("copied past an allocation"));
  }
  return CopyToDevice(
      to, std::vector<std::byte>(there.begin(),
                                 there.begin() + static_cast<std::ptrdiff_t>(size_bytes)));
}

DeviceStatus FakeDevice::Fill(std::uint64_t to, std::span<const std::byte> pattern,
                              std::uint64_t count) {
  const auto there = At(to);
  if (there.size() / pattern.size() < count) {
    return std::unexpected(InvalidValue("filled past an allocation"));
  }
  for (std::size_t i = 0; i < count * pattern.size(); ++i) {
    there[i] = pattern[i % pattern.size()];
  }
  return {};
}

std::optional<DeviceVariable> FakeDevice::AllocationOf(std::uint64_t address) {
  auto after = memory_.upper_bound(address);
  if (after == memory_.begin()) {
    return std::nullopt;
  }
  --after;
  if (address - after->first >= after->second.size()) {
    return std::nullopt;
  }
  return DeviceVariable{.address = after->first, .size_bytes = after->second.size()};
}

MemoryInfo FakeDevice::Memory() {
  std::uint64_t used = 0;
  for (const auto& [address, bytes] : memory_) {
    used += bytes.size();
  }
  return {.free_bytes = kTotalBytes - used, .total_bytes = kTotalBytes};
}

LaunchOutcome FakeDevice::Launch(const LaunchRequest& request) {
  launches.push_back(request);
  if (on_launch) {
    on_launch(*this, request);
  }
  return outcome;
}

std::vector<std::byte> FatBinaryOf(std::string_view ptx, std::uint32_t arch,
                                   const PtxVersion& version) {
  constexpr std::uint32_t kEntryHeaderBytes = 64;
  const std::uint64_t padded = (ptx.size() + 8) / 8 * 8;
  std::vector<std::byte> bytes(16 + kEntryHeaderBytes + padded);
  const auto put = [&](std::size_t at, auto value) {
    std::memcpy(&bytes[at], &value, sizeof value);
  };
  put(0, std::uint32_t{0xBA55ED50});
  put(4, std::uint16_t{1});
  put(6, std::uint16_t{16});
  put(8, std::uint64_t{kEntryHeaderBytes + padded});
  put(16, std::uint16_t{1});
  put(18, std::uint16_t{0x0101});
  put(20, kEntryHeaderBytes);
  put(24, padded);
  put(16 + 24, static_cast<std::uint16_t>(version.minor));
  put(16 + 26, static_cast<std::uint16_t>(version.major));
  put(16 + 28, arch);
  std::memcpy(&bytes[16 + kEntryHeaderBytes], ptx.data(), ptx.size());
  return bytes;
}

char RuntimeTest::variable[16];
std::uint64_t* RuntimeTest::managed;

const void* RuntimeTest::kernel() { return &kernel_stub; }
const void* RuntimeTest::nothing() { return &nothing_stub; }
const void* RuntimeTest::pointer_kernel() { return &pointer_stub; }
const void* RuntimeTest::unknown() { return &unknown_stub; }

PtxVersion PtxOfTheseHeaders() {
  // 12.6 has the PTX of 12.5.
  constexpr std::uint32_t kMajor = CUDART_VERSION / 1000;
  constexpr std::uint32_t kMinor = CUDART_VERSION % 1000 / 10;
  return {.major = kMajor - 4, .minor = kMajor == 12 && kMinor > 5 ? kMinor - 1 : kMinor};
}

RuntimeTest::RuntimeTest() {
  cudaDeviceReset();
  Fake() = FakeDevice();
  Order() = WorkOrder::kAtOnce;
  KeptRefusals() = Refusals::kAreForgotten;
  Notices().clear();
  Register(PtxOfTheseHeaders());
}

void RuntimeTest::Unregister() {
  if (binary_ != nullptr) {
    __cudaUnregisterFatBinary(std::exchange(binary_, nullptr));
  }
}

void** RuntimeTest::RegisterEmpty(const PtxVersion& version) {
  // Kept: a test may look at it when it is over.
  static std::deque<std::vector<std::byte>> images;
  static std::deque<Wrapper> wrappers;
  images.push_back(FatBinaryOf(".version 8.0\n.target sm_80\n", 80, version));
  wrappers.push_back({.data = images.back().data()});
  return __cudaRegisterFatBinary(&wrappers.back());
}

void RuntimeTest::Register(const PtxVersion& version) {
  Unregister();
  binary_ = RegisterEmpty(version);
  const auto add = [&](const char* stub, std::string_view name) {
    __cudaRegisterFunction(binary_, stub, nullptr, std::string(name).c_str(), -1, nullptr, nullptr,
                           nullptr, nullptr, nullptr);
  };
  add(&kernel_stub, FakeDevice::kKernel);
  add(&nothing_stub, FakeDevice::kNothing);
  add(&pointer_stub, FakeDevice::kPointer);
  __cudaRegisterVar(binary_, variable, nullptr, std::string(FakeDevice::kVariable).c_str(), 0,
                    sizeof variable, 0, 0);
  __cudaRegisterManagedVar(binary_, reinterpret_cast<void**>(&managed), nullptr,
                           std::string(FakeDevice::kManaged).c_str(), 0, sizeof *managed, 0, 0);
  __cudaRegisterFatBinaryEnd(binary_);
}

RuntimeTest::~RuntimeTest() {
  cudaDeviceReset();
  Unregister();
}

cudaError_t RuntimeTest::Launch(dim3 grid, dim3 block, std::size_t shared_bytes,
                                cudaStream_t stream) {
  int first = 42;
  double second = 2.5;
  void* arguments[] = {&first, &second};
  return cudaLaunchKernel(kernel(), grid, block, arguments, shared_bytes, stream);
}

void* RuntimeTest::Allocated(std::size_t size_bytes) {
  void* pointer = nullptr;
  EXPECT_EQ(cudaMalloc(&pointer, size_bytes), cudaSuccess);
  return pointer;
}

}  // namespace assay::gpu::runtime
