// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "client/suite_main.h"
#include "gpu/suite/suite_devices.h"

int main(int argc, char** argv) {
  return assay::SuiteMain(
      argc, argv,
      [](const assay::RunFlags& flags) -> assay::Result<std::unique_ptr<assay::DeviceProvider>> {
        return std::make_unique<assay::gpu::SuiteDevices>(flags);
      });
}
