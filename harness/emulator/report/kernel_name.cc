// SPDX-License-Identifier: Apache-2.0
#include "emulator/report/kernel_name.h"

#include "emulator/report/text_format.h"

namespace assay::gpu {

bool IsShortened(const std::string& kernel, KernelNames names) {
  return names == KernelNames::kShort && kernel.size() > kMostOfName;
}

std::string ShownKernel(const std::string& kernel, KernelNames names) {
  return Printable(IsShortened(kernel, names) ? kernel.substr(0, kMostOfName - 3) + "..." : kernel);
}

}  // namespace assay::gpu
