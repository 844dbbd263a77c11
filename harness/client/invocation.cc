// SPDX-License-Identifier: Apache-2.0
#include "client/invocation.h"

#include <utility>

namespace assay {

Invocation& Invocation::Save(SavedTensors* tensors, SaveLimits limits) {
  saved_ = tensors;
  save_limits_ = limits;
  return Add({.parameter = {wire::ParameterKind::kSave, wire::ElementType::kU8}});
}

Invocation& Invocation::Load(const SavedTensors& tensors) {
  loads_ = &tensors;
  return Add({.parameter = {wire::ParameterKind::kLoad, wire::ElementType::kU8}});
}

Invocation& Invocation::OnUpcall(UpcallHandler handler, UpcallLimits limits) {
  upcall_handler_ = std::move(handler);
  upcall_limits_ = limits;
  return *this;
}

Invocation& Invocation::Place(Placement placement) {
  placement_ = placement;
  return *this;
}

Invocation& Invocation::EmptyIsNull() {
  empty_is_null_ = true;
  return *this;
}

std::vector<wire::Parameter> Invocation::parameters() const {
  std::vector<wire::Parameter> parameters;
  parameters.reserve(arguments_.size());
  for (const Argument& argument : arguments_) {
    parameters.push_back(argument.parameter);
  }
  return parameters;
}

}  // namespace assay
