// SPDX-License-Identifier: Apache-2.0
#include "suite_support.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>

namespace assay::kvcache {
namespace {

std::string_view NameOf(kv_capability capability) {
  switch (capability) {
    case KV_CAN_GQA:
      return "KV_CAN_GQA";
    case KV_CAN_MQA:
      return "KV_CAN_MQA";
    case KV_CAN_F16:
      return "KV_CAN_F16";
    case KV_CAN_INT8:
      return "KV_CAN_INT8";
    case KV_CAN_INT4:
      return "KV_CAN_INT4";
    case KV_CAN_PAGED:
      return "KV_CAN_PAGED";
    case KV_CAN_CHUNKED:
      return "KV_CAN_CHUNKED";
    case KV_CAN_HYBRID:
      return "KV_CAN_HYBRID";
    case KV_CAN_FORK:
      return "KV_CAN_FORK";
    case KV_CAN_WINDOW:
      return "KV_CAN_WINDOW";
  }
  return "?";
}

}  // namespace

std::vector<std::int32_t> Sequences(std::int32_t count) {
  std::vector<std::int32_t> sequences(static_cast<std::size_t>(count));
  std::iota(sequences.begin(), sequences.end(), 0);
  return sequences;
}

void KvCacheTest::RequireTheCache() {
  for (const std::string_view operation :
       {"kv_create", "kv_destroy", "kv_prefill", "kv_append", "kv_attend", "kv_free", "kv_length",
        "kv_get_usage", "kv_read"}) {
    RequireOperation(operation);
  }
}

HostLink KvCacheTest::Link() {
  RequireTheCache();
  return {
      .call = [this](const Invocation& call) { return TryCall(kHost, call); },
      .compare =
          [](std::span<const float> got, std::span<const double> want,
             std::span<const double> bound) { return Compare<float, double>(got, want, bound); }};
}

void KvCacheTest::TearDown() {
  for (Driver& cache : caches_) {
    // Of a host that died nothing is left to destroy, and whatever else fails has failed before.
    static_cast<void>(cache.Destroy());
  }
}

bool KvCacheTest::Has(kv_capability capability) { return HasAll(capability); }

bool KvCacheTest::HasAll(int capabilities) {
  if (capabilities_ < 0) {
    RequireOperation("kv_capabilities");
    std::array<std::int32_t, 1> bits{};
    Invocation call("kv_capabilities");
    call.Output(bits);
    CallExpecting(KV_OK, kHost, call);
    capabilities_ = bits[0];
  }
  return (capabilities_ & capabilities) == capabilities;
}

void KvCacheTest::Need(std::initializer_list<kv_capability> capabilities) {
  for (const kv_capability capability : capabilities) {
    if (!Has(capability)) {
      Skip(fmt::format("{} is not reported", NameOf(capability)));
    }
  }
}

Driver& KvCacheTest::Open(const Config& config) {
  auto cache = Driver::Create(Link(), config);
  if (!cache) {
    FailCase(cache.error());
  }
  return caches_.emplace_back(*std::move(cache));
}

void KvCacheTest::Right(const Outcome& outcome) {
  for (const Driver& cache : caches_) {
    NoteErrorOverBound(cache.error_over_bound());
  }
  if (outcome) {
    FailCase(*outcome);
  }
}

void KvCacheTest::Fill(Driver& cache, std::int32_t sequence, std::size_t count,
                       std::int32_t layer) {
  Right(cache.Append(layer, sequence, Draw(cache, count)));
}

void KvCacheTest::Prefill(Driver& cache, std::int32_t sequence, std::size_t count,
                          std::int32_t layer) {
  Right(cache.Prefill(layer, sequence, Draw(cache, count)));
}

void KvCacheTest::Attend(Driver& cache, std::span<const std::int32_t> sequences,
                         std::int32_t layer) {
  Right(cache.Attend(layer, sequences, Draw(cache, sequences.size())));
}

void KvCacheTest::Attend(Driver& cache, std::int32_t sequence, std::int32_t layer) {
  Attend(cache, std::array{sequence}, layer);
}

void KvCacheTest::AttendAll(Driver& cache, std::int32_t layer) {
  Attend(cache, Sequences(cache.config().batch), layer);
}

void KvCacheTest::Decode(Driver& cache, std::int32_t sequence, std::size_t steps) {
  for (std::size_t step = 0; step < steps; ++step) {
    for (std::int32_t layer = 0; layer < cache.config().layers; ++layer) {
      Fill(cache, sequence, 1, layer);
      Attend(cache, sequence, layer);
    }
  }
}

void KvCacheTest::ExpectManyCallsRight(const Config& config, const Mix& mix,
                                       std::size_t operations) {
  const auto drawn = DrawOperations(random(), config, mix, operations);
  if (const auto failure = RunOperations(Link(), config, drawn)) {
    FailCase({failure->what.verdict,
              fmt::format("call {} of {}: {}", failure->at + 1, operations, failure->what.detail)});
  }
}

void KvCacheTest::ExpectStatus(int status, const Invocation& invocation) {
  const Reply reply = Call(kHost, invocation);
  if (reply.status != status) {
    FailCase(fmt::format("{} returned {} instead of {}", invocation.operation(),
                         StatusName(reply.status), StatusName(status)));
  }
}

void KvCacheTest::ExpectUnwritten(int status, std::uint64_t number, const std::string& operation) {
  if (status != KV_OK && number != kUnwritten) {
    FailCase(fmt::format("{} returned {}, and changed its output", operation, StatusName(status)));
  }
}

}  // namespace assay::kvcache
