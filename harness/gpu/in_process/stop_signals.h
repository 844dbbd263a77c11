// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GPU_IN_PROCESS_STOP_SIGNALS_H_
#define ASSAY_GPU_IN_PROCESS_STOP_SIGNALS_H_

#include "emulator/core/device_options.h"

namespace assay::gpu::runtime {

/// From now on SIGINT, SIGTERM and SIGHUP, where they would kill this process while a kernel runs,
/// first end the kernel, so that its report can say where it was. What a program does with them
/// itself stays. The request is the device's (DeviceOptions::stop).
[[nodiscard]] StopRequest* CatchStopSignals();

/// The kernel's report is written: the signal that ended it, if one did, now kills this process.
void HeedStopSignal();

}  // namespace assay::gpu::runtime

#endif  // ASSAY_GPU_IN_PROCESS_STOP_SIGNALS_H_
