// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CUDART_RUNTIME_ATTACHMENT_H_
#define ASSAY_CUDART_RUNTIME_ATTACHMENT_H_

#include <cstdint>
#include <string_view>

#include "emulator/core/device_link.h"

namespace assay::gpu::runtime {

/// When work that is given to a stream is done. CUDA leaves it open; a program that is right does
/// not see the difference.
enum class WorkOrder : std::uint8_t {
  kAtOnce,         ///< When the call returns, one piece after the other.
  kAsLateAsLegal,  ///< When something waits for it (queue.h).
};

/// What becomes of a program that goes on after the emulated GPU has refused what a GPU would do.
enum class Refusals : std::uint8_t {
  kAreForgotten,  ///< It was told by what the call returned.
  kStay,          ///< Whoever waits for the device or asks for the last error is told again.
};

/// What the CUDA runtime asks of the program that links it: a device, and an ear for what a person
/// should know. All calls come serialised, from whatever thread made the CUDA call.
class Attachment {
 public:
  virtual ~Attachment() = default;

  /// Asked once, at the first CUDA call that needs a device. Null: the program sees
  /// cudaErrorNoDevice. The device must outlive every CUDA call, those of static destructors too.
  virtual DeviceLink* device() = 0;

  /// A call failed with `code` (of cudaError_t) for a cause that the code alone does not tell: PTX
  /// that does not parse, an unsupported function. `function`: the CUDA function, or empty.
  virtual void OnNotice(std::string_view function, int code, std::string_view detail) = 0;

  /// The same for the whole of a program.
  virtual WorkOrder order() { return WorkOrder::kAtOnce; }

  virtual Refusals refusals() { return Refusals::kAreForgotten; }

  /// cudaDeviceReset is about to free all that is still allocated.
  virtual void OnReset() {}
};

/// Defined by whoever links assay::gpu_runtime. Called before main's globals are built if a static
/// constructor calls CUDA, and after they are gone: return an object that is built at first use and
/// never destroyed.
Attachment& RuntimeAttachment();

}  // namespace assay::gpu::runtime

#endif  // ASSAY_CUDART_RUNTIME_ATTACHMENT_H_
