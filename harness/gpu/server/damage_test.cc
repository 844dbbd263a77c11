// SPDX-License-Identifier: Apache-2.0
// Whatever the bytes, the server answers, calls the device with what it may take, and keeps no more
// than it says. Run under the sanitizers this finds what it reads beyond.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "gpu/server/loopback_for_test.h"

namespace assay::gpu::remote {
namespace {

/// One honest message of each kind, as a link sends it.
class Recorder : public Transport {
 public:
  std::optional<std::size_t> Exchange(std::span<const std::byte> head,
                                      std::span<const std::byte> data,
                                      std::span<std::byte> reply) override {
    messages.emplace_back(head.begin(), head.end());
    messages.back().insert(messages.back().end(), data.begin(), data.end());
    return loopback.Exchange(head, data, reply);
  }

  ServedDevice fake;
  DeviceServer server{&fake};
  Loopback loopback{&server};
  std::vector<std::vector<std::byte>> messages;
};

std::vector<std::vector<std::byte>> HonestMessages() {
  Recorder recorder;
  const auto link = RemoteLink::Connect(&recorder);
  const auto module = link->LoadModule(".version 8.0\n", {{{"f", 32, 0}, {"g", 64, 16}}});
  std::ignore = link->FindKernel(*module, "f");
  std::ignore = link->FindVariable(*module, "v");
  const auto address = link->Allocate(4096);
  std::vector<std::byte> data(100);
  std::ignore = link->CopyToDevice(*address, data);
  std::ignore = link->CopyFromDevice(data, *address);
  std::ignore = link->CopyOnDevice(*address, *address + 64, 32);
  std::ignore = link->Fill(*address, std::span(data).first(4), 8);
  std::ignore = link->AllocationOf(*address);
  std::ignore = link->Memory();
  std::ignore = link->Launch({.kernel = 100, .parameters = std::vector<std::byte>(24)});
  link->TellLack("cudaCreateTextureObject");
  std::ignore = link->Free(*address);
  std::ignore = link->UnloadModule(*module);
  return recorder.messages;
}

class Damage : public testing::Test {
 protected:
  /// Sends one message; the device must not be given what breaks its contract.
  void Send(std::span<const std::byte> message) {
    reply_.clear();
    std::ignore = server_.Serve(message, &reply_);
    ASSERT_LE(reply_.size(), kMaxMessageBytes);
    if (fake_.launches.size() > 100) {
      for (const LaunchRequest& launch : fake_.launches) {
        ASSERT_LE(launch.parameters.size(), kMaxParameterBytes);
      }
      fake_.launches.clear();
      fake_.unloaded.clear();
    }
    std::size_t text_bytes = 0;
    for (const std::string& module : fake_.modules) {
      text_bytes += module.size();
    }
    ASSERT_LE(text_bytes, (std::size_t{64} << 20) + kMaxModuleBytes);
    ASSERT_LE(fake_.used_bytes(), ServedDevice::kMemoryBytes);
  }

  std::mt19937_64 random_{11};
  ServedDevice fake_;
  DeviceServer server_{&fake_};
  std::vector<std::byte> reply_;
};

TEST_F(Damage, EveryCallIsAmongTheHonestMessages) {
  std::vector<bool> seen(17);
  for (const auto& message : HonestMessages()) {
    std::uint32_t call = 0;
    std::memcpy(&call, message.data(), sizeof call);
    seen.at(call) = true;
  }
  for (std::size_t call = 1; call < seen.size(); ++call) {
    EXPECT_TRUE(seen[call]) << call;
  }
}

TEST_F(Damage, TruncatedMessagesCallNothing) {
  for (const auto& message : HonestMessages()) {
    for (std::size_t size = 0; size < message.size(); ++size) {
      std::vector<std::byte> reply;
      ServedDevice fake;
      DeviceServer server(&fake);
      EXPECT_FALSE(server.Serve(std::span(message).first(size), &reply).has_value());
    }
  }
}

TEST_F(Damage, MutatedMessagesAreSurvived) {
  const auto messages = HonestMessages();
  constexpr std::uint64_t kEdges[] = {
      0, 1, 0x7f, 0x80, 0xff, 0x7fff'ffff, 0xffff'ffff, ~std::uint64_t{0}, std::uint64_t{1} << 40};
  for (int i = 0; i < 100'000; ++i) {
    std::vector<std::byte> message = messages[random_() % messages.size()];
    for (std::uint64_t n = random_() % 4; n > 0; --n) {
      const std::size_t at = 4 + random_() % message.size();
      if (at + 8 <= message.size() && random_() % 2 == 0) {
        std::memcpy(message.data() + at, &kEdges[random_() % std::size(kEdges)],
                    random_() % 2 == 0 ? 4 : 8);
      } else if (at < message.size()) {
        message[at] = static_cast<std::byte>(random_());
      }
    }
    if (random_() % 8 == 0) {
      message.resize(random_() % (message.size() + 16));
    }
    Send(message);
  }
}

TEST_F(Damage, RandomBytesAreSurvived) {
  for (int i = 0; i < 100'000; ++i) {
    std::vector<std::byte> message(random_() % 200);
    for (std::byte& byte : message) {
      byte = static_cast<std::byte>(random_());
    }
    if (message.size() >= 4 && random_() % 4 != 0) {
      const auto call = static_cast<std::uint32_t>(random_() % 17);
      std::memcpy(message.data(), &call, sizeof call);
    }
    Send(message);
  }
}

}  // namespace
}  // namespace assay::gpu::remote
