// SPDX-License-Identifier: Apache-2.0
#include "host/adapter.h"

#include "gpu/adapter/device_stream.h"
#include "gpu/server/testhosts/submission.h"

namespace {

/// Runs one of the additions in device memory that is the grader's.
template <auto kFunction>
int OnDevice(std::uint64_t a, std::uint64_t b, std::uint64_t sum, std::uint64_t count,
             std::uint32_t stream_kind) {
  using assay::gpu::DevicePointer;
  return assay::gpu::OnStream(stream_kind, [&](CUstream_st* stream) {
    return kFunction(DevicePointer<const float>(a), DevicePointer<const float>(b),
                     DevicePointer<float>(sum), count, stream);
  });
}

}  // namespace

ASSAY_OPERATION("vector_add_on_stream", OnDevice<vector_add_on_stream>);
ASSAY_OPERATION("vector_add_on_side_stream", OnDevice<vector_add_on_side_stream>);
ASSAY_OPERATION("vector_add_all_but_one", OnDevice<vector_add_all_but_one>);
ASSAY_OPERATION("make_texture", make_texture);
ASSAY_OPERATION("vector_add", vector_add);
ASSAY_OPERATION("vector_add_off_by_one", vector_add_off_by_one);
ASSAY_OPERATION("vector_add_on_a_thread", vector_add_on_a_thread);
ASSAY_OPERATION("vector_total", vector_total);
ASSAY_OPERATION("allocated_at_start", allocated_at_start);
ASSAY_OPERATION("print_much", print_much);
ASSAY_OPERATION("dereference_on_host", dereference_on_host);
ASSAY_OPERATION("allocate", allocate);
ASSAY_OPERATION("allocate_without_end", allocate_without_end);
ASSAY_OPERATION("run_forever", run_forever);
ASSAY_OPERATION("launch_forever", launch_forever);
ASSAY_OPERATION("leak", leak);
ASSAY_OPERATION("launch_late", launch_late);
ASSAY_OPERATION("late_error", late_error);
ASSAY_OPERATION("send_garbage", send_garbage);
