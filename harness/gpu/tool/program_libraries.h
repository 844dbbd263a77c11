// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GPU_TOOL_PROGRAM_LIBRARIES_H_
#define ASSAY_GPU_TOOL_PROGRAM_LIBRARIES_H_

#include <filesystem>
#include <string>
#include <vector>

namespace assay::gpu {

/// What an ELF file asks of others, by its dynamic section and symbols.
struct ProgramLibraries {
  std::vector<std::string> needed;        ///< Libraries that the loader must find: libcuda.so.1.
  std::vector<std::string> undefined;     ///< Functions and variables that one of them must have.
  std::vector<std::string> search_paths;  ///< Where the loader looks first: $ORIGIN/lib:/opt/lib.
};

/// Empty for what is no 64-bit ELF file of this machine's byte order, or has no sections: nothing
/// is known of it then.
[[nodiscard]] ProgramLibraries ReadProgramLibraries(const std::filesystem::path& program);

/// Why the emulated GPU cannot run `program`, a sentence for each library that it calls and that
/// there is none of. Empty: it can. Libraries of the user's own, which the loader finds by a search
/// path in a file or by LD_LIBRARY_PATH, are looked through too; those of the system are not.
[[nodiscard]] std::vector<std::string> LackingLibrariesOf(const std::filesystem::path& program);

}  // namespace assay::gpu

#endif  // ASSAY_GPU_TOOL_PROGRAM_LIBRARIES_H_
