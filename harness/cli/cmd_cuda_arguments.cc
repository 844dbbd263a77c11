// SPDX-License-Identifier: Apache-2.0
#include "cli/cmd_cuda_arguments.h"

#include <algorithm>

#include "gpu/tool/nvcc.h"

namespace assay {

CudaArguments SplitCudaArguments(std::span<const std::string> arguments,
                                 const std::function<OptionShape(const std::string&)>& shape) {
  CudaArguments split;
  const auto end = std::ranges::find(arguments, "--");
  for (auto at = arguments.begin(); at != end; ++at) {
    if (!at->starts_with('-')) {
      split.files.push_back(*at);
      continue;
    }
    const OptionShape ours = shape(at->substr(0, at->find('=')));
    std::vector<std::string>& target = ours == OptionShape::kNotOurs ? split.nvcc : split.ours;
    target.push_back(*at);
    const bool takes_next = ours == OptionShape::kNotOurs
                                ? gpu::NvccTakesNextArgument(*at)
                                : ours == OptionShape::kWithNext && !at->contains('=');
    if (takes_next && std::next(at) != end) {
      target.push_back(*++at);
    }
  }
  if (end != arguments.end()) {
    split.program.assign(std::next(end), arguments.end());
  }
  return split;
}

}  // namespace assay
