// SPDX-License-Identifier: Apache-2.0
#include "host/sanitizer.h"

// One archive serves hosts with and without the sanitizer, which is known only when they are
// linked: without it these are null. The names are the sanitizer's.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {
__attribute__((weak)) void __asan_poison_memory_region(const volatile void* memory,
                                                       std::size_t size_bytes);
__attribute__((weak)) void __asan_unpoison_memory_region(const volatile void* memory,
                                                         std::size_t size_bytes);

/// How the sanitizers behave in a host. Not in the environment: they read that from /proc, which a
/// host does not have. Looking for leaks would need a forbidden system call, and a leak is no wrong
/// answer; running out of memory is for the memory limit to judge.
const char* __asan_default_options();
const char* __asan_default_options() { return "detect_leaks=0:allocator_may_return_null=1"; }
}
// NOLINTEND(bugprone-reserved-identifier)

namespace assay::host {

void Poison(const void* memory, std::size_t size_bytes) {
  if (__asan_poison_memory_region != nullptr && size_bytes > 0) {
    __asan_poison_memory_region(memory, size_bytes);
  }
}

void Unpoison(const void* memory, std::size_t size_bytes) {
  if (__asan_unpoison_memory_region != nullptr && size_bytes > 0) {
    __asan_unpoison_memory_region(memory, size_bytes);
  }
}

}  // namespace assay::host
