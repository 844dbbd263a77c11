// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GPU_SUITE_ROLES_H_
#define ASSAY_GPU_SUITE_ROLES_H_

#include <string_view>

namespace assay::gpu {

// The roles of hosts with a device.
inline constexpr std::string_view kAscendingRole = "ascending";
inline constexpr std::string_view kReversedRole = "reversed";
inline constexpr std::string_view kRandomRole = "random";
inline constexpr std::string_view kCudaRole = "cuda";  ///< With a real one.
inline constexpr std::string_view kBaselineRole = "baseline";

}  // namespace assay::gpu

#endif  // ASSAY_GPU_SUITE_ROLES_H_
