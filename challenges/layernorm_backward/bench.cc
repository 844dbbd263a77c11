// SPDX-License-Identifier: Apache-2.0
// Times what timed_shapes.h lists; bench_workloads.h says how outputs are checked.

#include <algorithm>
#include <cstdint>
#include <string>

#include "bench_workloads.h"
#include "calculators.h"
#include "client/paired_bench.h"
#include "interface.h"
#include "timed_shapes.h"

namespace assay::layernorm {
namespace {

bool Register(const TimedShape& shape) {
  const Workload cost{.rows = static_cast<std::int64_t>(shape.rows),
                      .features = static_cast<std::int64_t>(shape.features),
                      .element_bytes = static_cast<std::int64_t>(shape.element_bytes)};
  const bool forward = shape.pass == TimedPass::kForward;
  const std::string type = shape.element_bytes == sizeof(float) ? "_f32" : "_f64";
  return RegisterWorkload(
      {.name = std::string(shape.name),
       .operation = (forward ? "ln_forward" : "ln_backward") + type,
       .unsupported_status = LN_UNSUPPORTED,
       .least_bytes = static_cast<double>(forward ? ForwardBytes(cost) : BackwardBytes(cost)),
       .make = [&shape] { return MakeTimed(shape); }});
}

[[maybe_unused]] const bool kRegistered = std::ranges::all_of(kTimedShapes, Register);

}  // namespace
}  // namespace assay::layernorm
