// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLIENT_HOST_POOL_H_
#define ASSAY_CLIENT_HOST_POOL_H_

#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "client/host.h"

namespace assay {

/// Hosts by role ("forward", "backward"), started when first asked for, reused between cases and
/// replaced after a death. Not thread-safe.
class HostPool {
 public:
  /// Changes the options of all hosts into those of one role's.
  using AdjustForRole = std::function<void(std::string_view role, HostOptions* options)>;

  /// Without `adjust` all roles are alike.
  explicit HostPool(HostOptions options, AdjustForRole adjust = {});

  /// The living host of that role, starting one if there is none. The pointer is valid until the
  /// next call of Get or Restart with the same role.
  [[nodiscard]] std::expected<Host*, HostFailure> Get(std::string_view role);

  /// Ends that role's host, if any: the next Get starts a fresh one.
  void Restart(std::string_view role);
  /// Ends all hosts.
  void Clear();

  [[nodiscard]] const HostOptions& options() const { return options_; }

 private:
  HostOptions options_;
  AdjustForRole adjust_;
  std::uint64_t started_ = 0;  ///< Hosts so far: gives each its own seed.
  std::map<std::string, Host, std::less<>> hosts_;
};

}  // namespace assay

#endif  // ASSAY_CLIENT_HOST_POOL_H_
