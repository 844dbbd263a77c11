// SPDX-License-Identifier: Apache-2.0
#include "cudart/runtime/runtime_for_test.h"

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

KernelInfo KernelOf(KernelId id, const std::vector<std::uint32_t>& offsets,
                    const std::vector<std::uint32_t>& sizes) {
  KernelInfo kernel;
  kernel.id = id;
  kernel.parameter_offsets = offsets;
  kernel.parameter_sizes = sizes;
  kernel.parameter_bytes = offsets.empty() ? 0 : offsets.back() + sizes.back();
  return kernel;
}

FakeDevice DeviceOfTheProgram() {
  constexpr std::uint64_t kMemoryBytes = std::uint64_t{1} << 32;
  FakeDevice device(H100(), kMemoryBytes);
  KernelInfo kernel = KernelOf(1, {0, 8}, {4, 8});
  kernel.resources.registers_per_thread = 96;
  kernel.resources.static_shared_bytes = kStaticSharedBytes;
  device.kernels[std::string(kKernel)] = std::move(kernel);
  device.kernels[std::string(kNothing)] = KernelOf(2, {}, {});
  device.kernels[std::string(kPointer)] = KernelOf(3, {0}, {8});
  device.variables[std::string(kVariable)].resize(16);
  constexpr std::uint64_t kInitial = 7;
  std::vector<std::byte>& managed = device.variables[std::string(kManaged)];
  managed.resize(sizeof kInitial);
  std::memcpy(managed.data(), &kInitial, sizeof kInitial);
  return device;
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
  static auto* const device = new FakeDevice(DeviceOfTheProgram());
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
  Fake() = DeviceOfTheProgram();
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
  add(&kernel_stub, kKernel);
  add(&nothing_stub, kNothing);
  add(&pointer_stub, kPointer);
  __cudaRegisterVar(binary_, variable, nullptr, std::string(kVariable).c_str(), 0, sizeof variable,
                    0, 0);
  __cudaRegisterManagedVar(binary_, reinterpret_cast<void**>(&managed), nullptr,
                           std::string(kManaged).c_str(), 0, sizeof *managed, 0, 0);
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
