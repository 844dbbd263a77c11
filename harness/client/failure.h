// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLIENT_FAILURE_H_
#define ASSAY_CLIENT_FAILURE_H_

#include <string>
#include <string_view>

#include "client/host.h"
#include "sandbox/sandboxed_process.h"

namespace assay {

/// What a host that ended by itself has done wrong. `activity` says when: `in ln_backward_f32`.
/// `output` is what it wrote: of it, only what a sanitizer found goes into the detail, as a hint;
/// the verdict never depends on it.
[[nodiscard]] HostFailure DescribeExit(const ExitStatus& status, std::string_view activity,
                                       std::string_view output);

/// `heap-buffer-overflow on address … (SUMMARY: …)`: the first finding of an address or
/// undefined-behaviour sanitizer in `output`, as one printable line; empty when there is none.
[[nodiscard]] std::string SanitizerFinding(std::string_view output);

}  // namespace assay

#endif  // ASSAY_CLIENT_FAILURE_H_
