// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_REPORT_CUDA_ERROR_H_
#define ASSAY_EMULATOR_REPORT_CUDA_ERROR_H_

/// The numbers of cudaError_t that a device, or what stands for one, answers with: those of
/// reports, replies and faults, which travel as int. Source: driver_types.h of the CUDA Toolkit;
/// the runtime, which has them all, checks that these are the same (cudart/runtime/error.cc).
namespace assay::gpu::cuda_error {

inline constexpr int kSuccess = 0;
inline constexpr int kInvalidValue = 1;
inline constexpr int kMemoryAllocation = 2;
inline constexpr int kCudartUnloading = 4;
inline constexpr int kInvalidConfiguration = 9;
inline constexpr int kInvalidSymbol = 13;
inline constexpr int kInvalidDeviceFunction = 98;
inline constexpr int kNoDevice = 100;
inline constexpr int kInvalidPtx = 218;
inline constexpr int kInvalidResourceHandle = 400;
inline constexpr int kIllegalAddress = 700;
inline constexpr int kLaunchOutOfResources = 701;
inline constexpr int kLaunchTimeout = 702;
inline constexpr int kAssert = 710;
inline constexpr int kMisalignedAddress = 716;
inline constexpr int kLaunchFailure = 719;
inline constexpr int kCooperativeLaunchTooLarge = 720;
inline constexpr int kNotSupported = 801;
inline constexpr int kGraphExecUpdateFailure = 910;
inline constexpr int kUnknown = 999;

}  // namespace assay::gpu::cuda_error

#endif  // ASSAY_EMULATOR_REPORT_CUDA_ERROR_H_
