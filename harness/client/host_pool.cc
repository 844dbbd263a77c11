// SPDX-License-Identifier: Apache-2.0
#include "client/host_pool.h"

#include <string>
#include <utility>

#include "client/poison.h"

namespace assay {

HostPool::HostPool(HostOptions options, AdjustForRole adjust)
    : options_(std::move(options)), adjust_(std::move(adjust)) {}

std::expected<Host*, HostFailure> HostPool::Get(std::string_view role) {
  const auto found = hosts_.find(role);
  if (found != hosts_.end() && found->second.alive()) {
    return &found->second;
  }
  Restart(role);
  HostOptions options = options_;
  std::uint64_t stream = options_.seed + ++started_;
  options.seed = NextRandom(&stream);
  if (adjust_) {
    adjust_(role, &options);
  }
  auto host = Host::Start(options);
  if (!host) {
    return std::unexpected(std::move(host).error());
  }
  return &hosts_.emplace(std::string(role), std::move(*host)).first->second;
}

void HostPool::Restart(std::string_view role) {
  if (const auto found = hosts_.find(role); found != hosts_.end()) {
    hosts_.erase(found);
  }
}

void HostPool::Clear() { hosts_.clear(); }

}  // namespace assay
