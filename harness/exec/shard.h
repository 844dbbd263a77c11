// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EXEC_SHARD_H_
#define ASSAY_EXEC_SHARD_H_

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "evidence/evidence.h"
#include "exec/inputs.h"
#include "spec/repository.h"

namespace assay {

/// One of several machines that grade the cells of a repository between them.
struct Shard {
  std::size_t number = 1;  ///< From 1 to `count`.
  std::size_t count = 1;
  bool operator==(const Shard&) const = default;
};

/// `2/5`; nothing for anything else, a number of 0 or above the count, or more than 10,000.
[[nodiscard]] std::optional<Shard> ParseShard(std::string_view text);

/// What a cell is dealt out by.
struct CellLoad {
  CellId cell;
  double seconds = 0;  ///< That grading it takes, about.
  /// Grading will be skipped where its evidence holds, which no file says is not so.
  enum class Evidence { kHolds, kStale } evidence = Evidence::kStale;
};

/// How long grading took that came to `evidence`: its builds, cases and samples, and what each cell
/// costs besides.
[[nodiscard]] double SecondsOf(const Evidence& evidence);

/// The load of each of `cells`, which are all in `repository`: from the evidence there, else the
/// mean of other cells of its challenge, else 90 s, or 120 s with CUDA. Stale is a cell whose files
/// changed; the machine does not count, so that every machine of a run comes to the same.
[[nodiscard]] Result<std::vector<CellLoad>> LoadsOf(const Repository& repository,
                                                    const std::vector<CellId>& cells,
                                                    InputReader& reader);

/// The cells of one shard, sorted. The shards of a count hold each cell once, whatever the order of
/// `loads`: the longest first, each to the shard with the least to do so far; first those that are
/// stale, so that they are spread, and then the others.
[[nodiscard]] std::vector<CellId> CellsOfShard(std::vector<CellLoad> loads, const Shard& shard);

}  // namespace assay

#endif  // ASSAY_EXEC_SHARD_H_
