// SPDX-License-Identifier: Apache-2.0
#include "emulator/report/demangled_kernel.h"

#include <cxxabi.h>

#include <cstdlib>
#include <string_view>

namespace assay::gpu {
namespace {

// `__nv_static_46__8c9e_5_a_cu_1b2c__Z4FillPi`: a kernel of one file alone.
std::string WithoutFile(const std::string& name) {
  constexpr std::string_view kStatic = "__nv_static_";
  const std::size_t mangled = name.starts_with(kStatic) ? name.find("__Z") : std::string::npos;
  return mangled == std::string::npos ? name : name.substr(mangled + 1);
}

}  // namespace

std::string DemangledKernel(const std::string& name) {
  int status = 0;
  char* text = abi::__cxa_demangle(WithoutFile(name).c_str(), nullptr, nullptr, &status);
  std::string demangled = status == 0 ? text : name;
  std::free(text);
  return demangled;
}

}  // namespace assay::gpu
