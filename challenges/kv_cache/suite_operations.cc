// SPDX-License-Identifier: Apache-2.0
// Random sequences of calls, and how they are run.

#include "suite_operations.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace assay::kvcache {
namespace {

using Kind = Operation::Kind;

std::size_t Unsigned(std::int32_t value) { return static_cast<std::size_t>(value); }

/// A number from 0 to below `end`.
std::int32_t Below(std::mt19937_64& random, std::int32_t end) {
  return static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(end));
}

std::string DescribeOne(const Config& config, const Operation& operation) {
  const std::string layer = config.layers > 1 ? fmt::format("layer {}, ", operation.layer) : "";
  const auto each = [&operation](std::string_view separator) {
    std::string text;
    for (const std::int32_t sequence : operation.sequences) {
      text += fmt::format("{}s{}", text.empty() ? "" : separator, sequence);
    }
    return text;
  };
  switch (operation.kind) {
    case Kind::kAppend: {
      const auto& all = operation.sequences;
      if (std::ranges::adjacent_find(all, std::ranges::not_equal_to{}) == all.end() &&
          all.size() > 2) {
        return fmt::format("append({}s{} x{})", layer, all.front(), all.size());
      }
      return fmt::format("append({}{})", layer, each(","));
    }
    case Kind::kAttend:
      return fmt::format("attend({}{})", layer, each(","));
    case Kind::kPrefill:
      return fmt::format("prefill({}s{} x{})", layer, operation.sequences.front(),
                         operation.tokens);
    case Kind::kFree:
      return fmt::format("free(s{})", operation.sequences.front());
    case Kind::kFork:
      return fmt::format("fork(s{}->s{})", operation.sequences.front(), operation.child);
  }
  return "?";
}

/// Lengths as the drawing knows them: without pools, whose end is part of the test.
class DrawnLengths {
 public:
  explicit DrawnLengths(const Config& config)
      : config_(config), lengths_(Unsigned(config.layers) * Unsigned(config.batch)) {}

  std::size_t& At(std::int32_t layer, std::int32_t sequence) {
    return lengths_[Unsigned(layer) * Unsigned(config_.batch) + Unsigned(sequence)];
  }
  bool IsEmpty(std::int32_t sequence) {
    for (std::int32_t layer = 0; layer < config_.layers; ++layer) {
      if (At(layer, sequence) != 0) {
        return false;
      }
    }
    return true;
  }
  void Copy(std::int32_t from, std::int32_t to) {
    for (std::int32_t layer = 0; layer < config_.layers; ++layer) {
      At(layer, to) = At(layer, from);
    }
  }
  void Clear(std::int32_t sequence) {
    for (std::int32_t layer = 0; layer < config_.layers; ++layer) {
      At(layer, sequence) = 0;
    }
  }

 private:
  const Config& config_;
  std::vector<std::size_t> lengths_;
};

Operation DrawAppend(std::mt19937_64& random, const Config& config, DrawnLengths& lengths) {
  Operation operation{.kind = Kind::kAppend, .layer = Below(random, config.layers)};
  // One token for some sequences, as in decoding; or many for one.
  const bool many = random() % 3 == 0;
  const std::int32_t one = Below(random, config.batch);
  const std::size_t count = many ? 1 + random() % 24 : 1 + random() % Unsigned(config.batch);
  for (std::size_t i = 0; i < count; ++i) {
    operation.sequences.push_back(many ? one : Below(random, config.batch));
    ++lengths.At(operation.layer, operation.sequences.back());
  }
  return operation;
}

Operation DrawAttend(std::mt19937_64& random, const Config& config) {
  Operation operation{.kind = Kind::kAttend, .layer = Below(random, config.layers)};
  const std::size_t count = 1 + random() % Unsigned(config.batch);
  for (std::size_t i = 0; i < count; ++i) {
    operation.sequences.push_back(Below(random, config.batch));
  }
  return operation;
}

/// None where what was drawn cannot be done now, or is not part of the mix.
std::optional<Operation> DrawOperation(std::mt19937_64& random, const Config& config,
                                       const Mix& mix, DrawnLengths& lengths) {
  const std::int32_t sequence = Below(random, config.batch);
  const std::int32_t layer = Below(random, config.layers);
  const std::uint64_t draw = random() % 20;
  if (draw < 7) {
    return DrawAppend(random, config, lengths);
  }
  if (draw < 13) {
    return DrawAttend(random, config);
  }
  if (draw < 16 && !mix.prefill) {
    return std::nullopt;  // As many frees as with prompts: sequences that are never long show
                          // little.
  }
  if (draw < 16 && (mix.chunked || lengths.At(layer, sequence) == 0)) {
    const std::size_t tokens = 1 + random() % 30;
    lengths.At(layer, sequence) += tokens;
    return Operation{
        .kind = Kind::kPrefill, .layer = layer, .sequences = {sequence}, .tokens = tokens};
  }
  if (draw < 18) {
    lengths.Clear(sequence);
    return Operation{.kind = Kind::kFree, .sequences = {sequence}};
  }
  if (!mix.fork) {
    return std::nullopt;
  }
  const std::int32_t child = Below(random, config.batch);
  if (child == sequence || !lengths.IsEmpty(child)) {
    return std::nullopt;
  }
  lengths.Copy(sequence, child);
  return Operation{.kind = Kind::kFork, .sequences = {sequence}, .child = child};
}

}  // namespace

std::string Describe(const Config& config, const std::vector<Operation>& operations) {
  std::string text;
  for (const Operation& operation : operations) {
    text += (text.empty() ? "" : " ") + DescribeOne(config, operation);
  }
  return text;
}

std::vector<Operation> DrawOperations(std::mt19937_64& random, const Config& config, const Mix& mix,
                                      std::size_t count) {
  std::vector<Operation> operations;
  DrawnLengths lengths(config);
  while (operations.size() < count) {
    std::optional<Operation> operation = DrawOperation(random, config, mix, lengths);
    if (operation) {
      operation->seed = random();
      operations.push_back(*std::move(operation));
    }
  }
  return operations;
}

namespace {

Outcome RunOne(Driver& cache, const Operation& operation) {
  std::mt19937_64 random(operation.seed);
  const std::size_t count =
      operation.kind == Kind::kPrefill ? operation.tokens : operation.sequences.size();
  const Tokens tokens = DrawTokens(random, cache.config(), count, operation.distribution);
  const std::int32_t first = operation.sequences.front();
  switch (operation.kind) {
    case Kind::kAppend:
      // Where the contract leaves the status open, nothing is asked.
      if (cache.model().IsCloseToTheLastPage(operation.layer, operation.sequences)) {
        return std::nullopt;
      }
      return cache.Append(operation.layer, operation.sequences, tokens);
    case Kind::kAttend:
      return cache.Attend(operation.layer, operation.sequences, tokens);
    case Kind::kPrefill:
      return cache.Prefill(operation.layer, first, tokens);
    case Kind::kFree:
      return cache.Free(first);
    case Kind::kFork:
      return cache.Fork(first, operation.child);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Failure> RunOperations(const HostLink& link, const Config& config,
                                     const std::vector<Operation>& operations,
                                     Precision precision) {
  auto cache = Driver::Create(link, config);
  if (!cache) {
    return Failure{.at = 0, .what = cache.error()};
  }
  cache->HoldTo(precision);
  std::optional<Failure> failure;
  for (std::size_t i = 0; i < operations.size() && !failure; ++i) {
    auto wrong = RunOne(*cache, operations[i]);
    if (!wrong && config.IsPaged()) {
      wrong = cache->CheckUsage();
    }
    if (wrong) {
      failure = Failure{.at = i, .what = *std::move(wrong)};
    }
  }
  if (!failure) {
    if (auto wrong = cache->CheckAll()) {
      failure = Failure{.at = operations.size(), .what = *std::move(wrong)};
    }
  }
  // A host that died took the cache along: the next one knows no such handle, and minds it not.
  if (auto wrong = cache->Destroy(); wrong && !failure) {
    failure = Failure{.at = operations.size(), .what = *std::move(wrong)};
  }
  return failure;
}

std::vector<Operation> Simpler(const Operation& operation) {
  const bool is_prefill = operation.kind == Kind::kPrefill;
  const std::size_t count = is_prefill ? operation.tokens : operation.sequences.size();
  std::vector<Operation> simpler;
  for (const std::size_t fewer : {count / 2, count - 1}) {
    if (fewer > 0 && fewer < count) {
      simpler.push_back(operation);
      if (is_prefill) {
        simpler.back().tokens = fewer;
      } else {
        simpler.back().sequences.resize(fewer);
      }
    }
  }
  return simpler;
}

}  // namespace assay::kvcache
