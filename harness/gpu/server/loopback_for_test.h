// SPDX-License-Identifier: Apache-2.0
// What the tests of this part share.
#ifndef ASSAY_GPU_SERVER_LOOPBACK_FOR_TEST_H_
#define ASSAY_GPU_SERVER_LOOPBACK_FOR_TEST_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cudart/link/remote_link.h"
#include "emulator/core/fake_device.h"
#include "gpu/server/device_server.h"

namespace assay::gpu::remote {

/// The device behind a server: it finds every name in every module.
class ServedDevice : public FakeDevice {
 public:
  static constexpr std::uint64_t kMemoryBytes = std::uint64_t{64} << 20;
  ServedDevice() : FakeDevice(Rtx4090(), kMemoryBytes) { any_kernel.emplace(); }
};

/// A link and its server in one process: what one puts in comes out at the other.
class Loopback : public Transport {
 public:
  explicit Loopback(DeviceService* server) : server_(server) {}

  std::optional<std::size_t> Exchange(std::span<const std::byte> head,
                                      std::span<const std::byte> data,
                                      std::span<std::byte> reply) override {
    if (!reachable) {
      return std::nullopt;
    }
    std::vector<std::byte> request(head.begin(), head.end());
    request.insert(request.end(), data.begin(), data.end());
    longest_bytes = std::max(longest_bytes, request.size());
    ++messages;
    std::vector<std::byte> answer;
    if (auto served = server_->Serve(request, &answer); !served) {
      faults.push_back(served.error());
    }
    longest_bytes = std::max(longest_bytes, answer.size());
    std::ranges::copy(answer, reply.begin());
    return answer.size();
  }

  bool reachable = true;
  std::size_t longest_bytes = 0;
  std::size_t messages = 0;
  std::vector<std::string> faults;

 private:
  DeviceService* server_;
};

}  // namespace assay::gpu::remote

#endif  // ASSAY_GPU_SERVER_LOOPBACK_FOR_TEST_H_
