// SPDX-License-Identifier: Apache-2.0
// The driver's library, loaded while the program runs: there is none beside the emulated GPU, which
// says so and goes on saying so. Other libraries are found as without it.
// FINDINGS: any
#include <dlfcn.h>

#include <cstring>
#include <filesystem>
#include <string>

#include "../common/check.h"

int main() {
  // The loader's $ORIGIN is the folder of whoever asks. A program cannot be loaded, but is found.
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe");
  check::Expect("a program is no library",
                dlopen(("$ORIGIN/" + self.filename().string()).c_str(), RTLD_NOW) == nullptr);
  const char* why = dlerror();
  check::Expect("but one that is in its own folder",
                why != nullptr && std::strstr(why, "cannot dynamically load") != nullptr);
  check::Expect("no error has been", cudaGetLastError() == cudaSuccess);

  void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  why = dlerror();
  check::Expect("the driver is loaded, or its lack is named",
                driver != nullptr || (why != nullptr && std::strstr(why, "driver API") != nullptr));
  const cudaError_t expected = driver != nullptr ? cudaSuccess : cudaErrorNotSupported;
  check::Expect("which the last error says", cudaGetLastError() == expected);
  check::Expect("and whoever waits for the device", cudaDeviceSynchronize() == expected);
  return check::Finish();
}
