// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GPU_SERVER_DEVICE_SERVER_H_
#define ASSAY_GPU_SERVER_DEVICE_SERVER_H_

#include <cstddef>
#include <cstdint>
#include <expected>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "client/device_service.h"
#include "cudart/link/messages.h"
#include "emulator/core/device_link.h"

namespace assay::gpu::remote {

/// What one host may keep on its device beyond device memory, which has a limit of its own. A call
/// beyond it fails with cudaErrorMemoryAllocation (2), as on a device that is full.
struct ServerLimits {
  std::size_t modules = 1024;
  std::size_t module_text_bytes = std::size_t{64} << 20;  ///< PTX of all loaded modules.
  std::size_t allocations = std::size_t{1} << 18;         ///< Live at one time.
};

/// The trusted end: takes the messages of a hostile host apart, checks every length and count, and
/// calls a device. Memory of its own: at most kMaxModuleBytes of text that is not loaded yet, two
/// messages, and a few words for each live module and allocation.
/// A message that no RemoteLink would send is an error, and calls nothing. What an honest program
/// can get wrong, by unloading a module too early say, is an error code in the reply.
class DeviceServer : public DeviceService {
 public:
  /// `device` must outlive the server, and serve nobody else.
  explicit DeviceServer(DeviceLink* device, ServerLimits limits = {});

  [[nodiscard]] std::expected<void, std::string> Serve(std::span<const std::byte> request,
                                                       std::vector<std::byte>* reply) override;

 private:
  /// Text that says what is malformed; empty: nothing is.
  using Fault = std::string;

  Fault Dispatch(Call call, Reader& reader, Writer& writer);
  Fault AddModuleText(Reader& reader, Writer& writer);
  Fault LoadModule(Reader& reader, Writer& writer);
  Fault UnloadModule(Reader& reader, Writer& writer);
  Fault FindKernel(Reader& reader, Writer& writer);
  Fault FindVariable(Reader& reader, Writer& writer);
  Fault Allocate(Reader& reader, Writer& writer);
  Fault Free(Reader& reader, Writer& writer);
  Fault CopyToDevice(Reader& reader, Writer& writer);
  Fault CopyFromDevice(Reader& reader, Writer& writer);
  Fault CopyOnDevice(Reader& reader, Writer& writer);
  Fault Fill(Reader& reader, Writer& writer);
  Fault AllocationOf(Reader& reader, Writer& writer);
  Fault Launch(Reader& reader, Writer& writer);
  static Fault Lacks(Reader& reader, Writer& writer);
  /// Says in the reply that it is not.
  bool IsLoaded(Writer& writer, ModuleId module) const;

  DeviceLink* device_;
  ServerLimits limits_;
  std::string text_;                         ///< Of the module that is being sent.
  std::map<ModuleId, std::size_t> modules_;  ///< Loaded ones, and the bytes of their text.
  std::size_t module_text_bytes_ = 0;
  std::size_t allocations_ = 0;
  std::vector<std::byte> data_;  ///< Of a copy from the device.
};

}  // namespace assay::gpu::remote

#endif  // ASSAY_GPU_SERVER_DEVICE_SERVER_H_
