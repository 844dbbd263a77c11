// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_BUILD_ENTRY_POINTS_H_
#define ASSAY_BUILD_ENTRY_POINTS_H_

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// The names of all symbols that an ELF file of this machine defines, mangled as they are there.
/// Empty for a file that is none, or stripped; a broken one gives what can be read. Hostile bytes.
[[nodiscard]] std::set<std::string, std::less<>> DefinedSymbols(std::string_view elf);

/// Which of the functions that a challenge requires a host lacks. An adapter's references are weak:
/// the linker says nothing of them.
struct MissingEntryPoints {
  bool all = false;  ///< There is nothing to run.
  std::string
      description;  ///< One line with the names and what to do; empty where none is missing.
  bool operator==(const MissingEntryPoints&) const = default;
};
[[nodiscard]] MissingEntryPoints FindMissing(const std::vector<std::string>& required,
                                             const std::set<std::string, std::less<>>& defined);

}  // namespace assay

#endif  // ASSAY_BUILD_ENTRY_POINTS_H_
