// SPDX-License-Identifier: Apache-2.0
// dlopen as programs call it: CUDA's libraries that the emulated GPU lacks are refused by name,
// since a program that only finds them missing goes on as if its machine had no GPU.
#include <dlfcn.h>
#include <fmt/format.h>

#include <mutex>
#include <set>
#include <string>

#include "cudart/runtime/lacking_libraries.h"
#include "cudart/runtime/state.h"

namespace assay::gpu::runtime {
namespace {

using LoadFunction = void* (*)(const char*, int);

LoadFunction SystemLoad() {
  static const auto load = reinterpret_cast<LoadFunction>(dlsym(RTLD_NEXT, "dlopen"));
  return load;
}

/// A name that the loader will not find, so that dlerror() says why.
const char* Refuse(const char* file, const LackingLibrary& library) {
  const std::string why = fmt::format("the emulated GPU has no {}", library.name);
  Enter<Needs::kNothing>([&](State& state) {
    Notice(state, fmt::format("dlopen of {}:", file), cudaErrorNotSupported, why);
    return cudaErrorNotSupported;
  });
  // Kept: a few names at most, and the caller may be done after our own destructors.
  static auto* const reasons = new std::set<std::string>;
  static auto* const guard = new std::mutex;
  const std::lock_guard lock(*guard);
  return reasons->insert(fmt::format("{} ({})", file, why)).first->c_str();
}

/// What to ask the loader for in the place of `file`. Not inlined: what it has on the stack would
/// keep dlopen from leaving by a jump.
[[gnu::noinline]] const char* AskedFor(const char* file, int mode) {
  const LackingLibrary* const library = file == nullptr ? nullptr : FindLackingLibrary(file);
  // Who only looks whether a library is loaded already has a right to the answer.
  return library == nullptr || (mode & RTLD_NOLOAD) != 0 ? file : Refuse(file, *library);
}

}  // namespace
}  // namespace assay::gpu::runtime

// The loader searches by the run path of whoever called it, which it knows by the return address.
// So this must leave by a jump (CMakeLists.txt sees to it), with nothing to do behind.
extern "C" void* dlopen(const char* file, int mode) {
  using assay::gpu::runtime::AskedFor;
  using assay::gpu::runtime::SystemLoad;
  return SystemLoad()(AskedFor(file, mode), mode);
}
