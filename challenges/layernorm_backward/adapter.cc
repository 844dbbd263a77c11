// SPDX-License-Identifier: Apache-2.0
// Binds the functions of interface.h to operations of the host. It decides nothing: what is right,
// and how long it took, is found out in another process. Models may read this file.

#include "host/adapter.h"

#include <cstddef>
#include <cstdint>
#include <limits>

#include "gpu/adapter/device_stream.h"
#include "interface.h"

// A submission may leave out functions: what is missing is missing from the table of operations.
#pragma weak ln_forward_f32
#pragma weak ln_backward_f32
#pragma weak ln_forward_f64
#pragma weak ln_backward_f64
#pragma weak ln_check_gradients
#pragma weak ln_forward_cuda_f32
#pragma weak ln_backward_cuda_f32
#pragma weak ln_backward_cuda_workspace_bytes

namespace {

/// Upcall 1: the backward under check. It runs in the process that asks, so that nothing in the
/// host tells a right one from a planted wrong one.
constexpr std::uint32_t kBackwardUnderCheck = 1;

int BackwardUnderCheck(void* /*context*/, std::size_t rows, std::size_t features, const double* x,
                       const double* gamma, const double* beta, double eps, const double* dy,
                       double* dx, double* dgamma, double* dbeta) {
  const std::size_t elements = rows * features;
  return assay::host::Upcall(kBackwardUnderCheck,
                             {{x, elements * sizeof(double)},
                              {gamma, features * sizeof(double)},
                              {beta, features * sizeof(double)},
                              {&eps, sizeof eps},
                              {dy, elements * sizeof(double)}},
                             {{dx, elements * sizeof(double)},
                              {dgamma, features * sizeof(double)},
                              {dbeta, features * sizeof(double)}});
}

/// ln_check_gradients with the report as one array of numbers: right, worst tensor, worst index,
/// worst relative error.
int CheckGradients(std::size_t rows, std::size_t features, double* x, double* gamma, double* beta,
                   double eps, const double* dy, double* report) {
  // What no check finds, so that a field that is not written, or only added to, is seen.
  ln_check_report filled = {.right = -1,
                            .worst_tensor = -1,
                            .worst_index = std::numeric_limits<std::size_t>::max(),
                            .worst_relative_error = std::numeric_limits<double>::quiet_NaN()};
  const int status = ln_check_gradients(rows, features, x, gamma, beta, eps, dy, BackwardUnderCheck,
                                        nullptr, &filled);
  report[0] = filled.right;
  report[1] = filled.worst_tensor;
  report[2] = static_cast<double>(filled.worst_index);
  report[3] = filled.worst_relative_error;
  return status;
}

using assay::gpu::DevicePointer;

int ForwardCuda(std::size_t rows, std::size_t features, std::uint64_t x, std::uint64_t gamma,
                std::uint64_t beta, float eps, std::uint64_t y, std::uint64_t mean,
                std::uint64_t rstd, std::uint32_t stream_kind) {
  return assay::gpu::OnStream(stream_kind, [&](CUstream_st* stream) {
    return ln_forward_cuda_f32(rows, features, DevicePointer<const float>(x),
                               DevicePointer<const float>(gamma), DevicePointer<const float>(beta),
                               eps, DevicePointer<float>(y), DevicePointer<float>(mean),
                               DevicePointer<float>(rstd), stream);
  });
}

int BackwardCudaWorkspaceBytes(std::size_t rows, std::size_t features, std::uint64_t* bytes) {
  *bytes = ln_backward_cuda_workspace_bytes(rows, features);
  return LN_OK;
}

int BackwardCuda(std::size_t rows, std::size_t features, std::uint64_t dy, std::uint64_t x,
                 std::uint64_t gamma, std::uint64_t mean, std::uint64_t rstd, std::uint64_t dx,
                 std::uint64_t dgamma, std::uint64_t dbeta, std::uint64_t workspace,
                 std::size_t workspace_bytes, std::uint32_t stream_kind) {
  return assay::gpu::OnStream(stream_kind, [&](CUstream_st* stream) {
    return ln_backward_cuda_f32(
        rows, features, DevicePointer<const float>(dy), DevicePointer<const float>(x),
        DevicePointer<const float>(gamma), DevicePointer<const float>(mean),
        DevicePointer<const float>(rstd), DevicePointer<float>(dx), DevicePointer<float>(dgamma),
        DevicePointer<float>(dbeta), DevicePointer<void>(workspace), workspace_bytes, stream);
  });
}

}  // namespace

ASSAY_OPERATION("ln_forward_f32", ln_forward_f32);
ASSAY_OPERATION("ln_backward_f32", ln_backward_f32);
ASSAY_OPERATION("ln_forward_f64", ln_forward_f64);
ASSAY_OPERATION("ln_backward_f64", ln_backward_f64);
ASSAY_OPERATION_IF(ln_check_gradients, "ln_check_gradients", CheckGradients);
ASSAY_OPERATION_IF(ln_forward_cuda_f32, "ln_forward_cuda_f32", ForwardCuda);
ASSAY_OPERATION_IF(ln_backward_cuda_workspace_bytes, "ln_backward_cuda_workspace_bytes",
                   BackwardCudaWorkspaceBytes);
ASSAY_OPERATION_IF(ln_backward_cuda_f32, "ln_backward_cuda_f32", BackwardCuda);
