// SPDX-License-Identifier: Apache-2.0
#include "client/host.h"

#include <algorithm>
#include <array>
#include <utility>

#include "client/host_impl.h"

namespace assay {

struct PreparedCall::State {
  struct Set {
    CallPlan plan;
    wire::CallFrame frame;
    std::optional<Poison> poison;  ///< What Fill used; empty before it and after Run.
  };

  HostImpl* host;
  const Invocation* invocation;
  Layout layout{Layout::Faults::kBeforehand};
  std::vector<Set> sets;
  std::size_t current = 0;
};

PreparedCall::PreparedCall(std::unique_ptr<State> state) : state_(std::move(state)) {}
PreparedCall::PreparedCall(PreparedCall&&) noexcept = default;
PreparedCall& PreparedCall::operator=(PreparedCall&&) noexcept = default;
PreparedCall::~PreparedCall() = default;

std::expected<void, HostFailure> PreparedCall::Fill() {
  if (auto applied = state_->host->Apply(state_->layout); !applied) {
    return applied;
  }
  state_->current = (state_->current + 1) % state_->sets.size();
  State::Set& set = state_->sets[state_->current];
  set.poison = state_->host->FreshPoison();
  state_->host->StandStill();
  CopyIn(*state_->invocation, set.plan, *set.poison, state_->host->memory());
  return {};
}

std::expected<Reply, HostFailure> PreparedCall::Run() {
  State::Set& set = state_->sets[state_->current];
  if (!set.poison) {
    return std::unexpected(
        HostFailure{Verdict::kJudgeError, "a prepared call was run without being filled"});
  }
  const Poison poison = *std::exchange(set.poison, std::nullopt);
  return state_->host->Call(*state_->invocation, set.plan, poison, set.frame,
                            HostImpl::AfterReply::kStandsStill);
}

Host::Host(std::unique_ptr<HostImpl> impl) : impl_(std::move(impl)) {}
Host::Host(Host&&) noexcept = default;
Host& Host::operator=(Host&&) noexcept = default;
Host::~Host() = default;

std::expected<Host, HostFailure> Host::Start(const HostOptions& options) {
  auto impl = HostImpl::Start(options);
  if (!impl) {
    return std::unexpected(std::move(impl).error());
  }
  return Host(std::move(*impl));
}

const std::vector<OperationInfo>& Host::operations() const { return impl_->operations(); }
bool Host::alive() const { return impl_->alive(); }
std::string Host::Output() const { return impl_->Output(); }
std::int64_t Host::PrivateBytes() { return impl_->PrivateBytes(); }
std::expected<void, HostFailure> Host::CheckIdle() { return impl_->CheckIdle(); }
std::expected<void, HostFailure> Host::Stop() { return impl_->Stop(); }

bool Host::Has(std::string_view operation) const {
  return std::ranges::find(operations(), operation, &OperationInfo::name) != operations().end();
}

std::expected<Reply, HostFailure> Host::Call(const Invocation& invocation) {
  const auto operation = impl_->Resolve(invocation);
  if (!operation) {
    return std::unexpected(operation.error());
  }
  Layout layout(Layout::Faults::kWhenTouched);
  const CallPlan plan = PlanCall(invocation, &layout);
  if (auto applied = impl_->Apply(layout); !applied) {
    return std::unexpected(applied.error());
  }
  const Poison poison = impl_->FreshPoison();
  impl_->StandStill();
  CopyIn(invocation, plan, poison, impl_->memory());
  wire::CallFrame frame;
  FillCallFrame(invocation, plan, *operation, &frame);
  return impl_->Call(invocation, plan, poison, frame, HostImpl::AfterReply::kGoesOn);
}

std::expected<PreparedCall, HostFailure> Host::Prepare(const Invocation& invocation, int sets) {
  const auto operation = impl_->Resolve(invocation);
  if (!operation) {
    return std::unexpected(operation.error());
  }
  auto state = std::make_unique<PreparedCall::State>();
  state->host = impl_.get();
  state->invocation = &invocation;
  state->sets.resize(static_cast<std::size_t>(std::max(sets, 1)));
  for (PreparedCall::State::Set& set : state->sets) {
    set.plan = PlanCall(invocation, &state->layout);
    FillCallFrame(invocation, set.plan, *operation, &set.frame);
  }
  if (auto applied = impl_->Apply(state->layout); !applied) {
    return std::unexpected(applied.error());
  }
  return PreparedCall(std::move(state));
}

void Host::StandStill() { impl_->StandStill(); }

std::expected<std::chrono::nanoseconds, HostFailure> Host::CallEmpty(int count) {
  std::chrono::nanoseconds total{0};
  for (int i = 0; i < count; ++i) {
    const auto elapsed = impl_->Nop();
    if (!elapsed) {
      return std::unexpected(elapsed.error());
    }
    total += *elapsed;
  }
  return total;
}

std::expected<RoundTrip, HostFailure> Host::MeasureRoundTrip(int samples) {
  std::vector<std::chrono::nanoseconds> times;
  for (int i = 0; i < std::max(samples, 1); ++i) {
    const auto elapsed = impl_->Nop();
    if (!elapsed) {
      return std::unexpected(elapsed.error());
    }
    times.push_back(*elapsed);
  }
  std::ranges::sort(times);
  return RoundTrip{.median = times[times.size() / 2], .p99 = times[times.size() * 99 / 100]};
}

std::string Describe(std::span<const wire::Parameter> parameters) {
  constexpr std::array<std::string_view, 10> kTypes = {"i8",  "u8",  "i16", "u16", "i32",
                                                       "u32", "i64", "u64", "f32", "f64"};
  std::string text = "(";
  for (const wire::Parameter& parameter : parameters) {
    text += text.size() > 1 ? ", " : "";
    const std::string_view type = kTypes.at(static_cast<std::size_t>(parameter.type));
    switch (parameter.kind) {
      case wire::ParameterKind::kScalar:
        text += type;
        break;
      case wire::ParameterKind::kInput:
        text.append(type).append(" const*");
        break;
      case wire::ParameterKind::kOutput:
        text.append(type).append("*");
        break;
      case wire::ParameterKind::kSave:
        text += "save";
        break;
      case wire::ParameterKind::kLoad:
        text += "load";
        break;
    }
  }
  return text + ")";
}

}  // namespace assay
