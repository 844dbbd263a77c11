// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_HOST_SANITIZER_H_
#define ASSAY_HOST_SANITIZER_H_

#include <cstddef>

namespace assay::host {

/// Tells the address sanitizer, when this executable has it, that memory may not, or may again, be
/// touched by instrumented code.
void Poison(const void* memory, std::size_t size_bytes);
void Unpoison(const void* memory, std::size_t size_bytes);

}  // namespace assay::host

#endif  // ASSAY_HOST_SANITIZER_H_
