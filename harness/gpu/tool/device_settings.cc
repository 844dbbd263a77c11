// SPDX-License-Identifier: Apache-2.0
#include "gpu/tool/device_settings.h"

namespace assay::gpu {

std::string ToJson(const DeviceSettings& settings, int report_fd) {
  runtime::RunOptions options;
  options.device.model = settings.model;
  options.device.schedule = settings.schedule;
  options.device.seed = settings.seed;
  options.device.checking = settings.checking;
  options.device.approximation = settings.approximation;
  options.device.workers = settings.workers;
  options.device.instruction_limit =
      settings.instruction_limit.value_or(options.device.instruction_limit);
  options.leak_check = settings.leak_check;
  options.report_fd = report_fd;
  return runtime::ToJson(options);
}

}  // namespace assay::gpu
