// SPDX-License-Identifier: Apache-2.0
#include "host/adapter.h"

#include <cstddef>
#include <cstdint>

#include "gpu/adapter/device_stream.h"
#include "gpu/suite/testhosts/scale.h"

namespace {

int ScaleRows(std::size_t rows, std::size_t columns, std::uint64_t x, std::size_t stride,
              std::uint64_t y, std::uint64_t workspace, std::int32_t mode,
              std::uint32_t stream_kind) {
  return assay::gpu::OnStream(stream_kind, [&](CUstream_st* stream) {
    return scale_rows(rows, columns, assay::gpu::DevicePointer<const float>(x), stride,
                      assay::gpu::DevicePointer<float>(y),
                      assay::gpu::DevicePointer<float>(workspace), mode, stream);
  });
}

/// The types that a DeviceInvocation's scalars have; returns 0 when all came as they went.
int TakeScalars(std::size_t size, std::int32_t small, std::uint32_t bits, std::int64_t large,
                float single, double twice) {
  const bool right = size == std::size_t{1} << 40 && small == -7 && bits == 0xFFFF'FFFFU &&
                     large == -(std::int64_t{1} << 40) && single == 0.1F && twice == 0.1;
  return right ? 0 : 1;
}

}  // namespace

ASSAY_OPERATION("scale_rows", ScaleRows);
ASSAY_OPERATION("take_scalars", TakeScalars);
