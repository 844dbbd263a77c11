// SPDX-License-Identifier: Apache-2.0
#include "cli/symbol_advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <map>
#include <optional>
#include <system_error>

#include "base/text.h"
#include "spec/nearest.h"

namespace assay {
namespace {

/// Where a name is defined.
struct Place {
  std::string source;
  bool mangled = false;
};
using Places = std::map<std::string, Place, std::less<>>;

// C before C++, and of several sources the first.
Places PlacesIn(const std::vector<SourceSymbols>& sources) {
  Places places;
  for (const SourceSymbols& one : sources) {
    for (const std::string& symbol : one.defined) {
      if (!symbol.starts_with("_Z")) {
        const auto [at, is_new] = places.try_emplace(symbol, Place{.source = one.source});
        if (!is_new && at->second.mangled) {
          at->second = Place{.source = one.source};
        }
      }
    }
    for (const std::string& symbol : one.defined) {
      if (symbol.starts_with("_Z")) {
        for (const std::string& name : NamesInMangled(symbol)) {
          places.try_emplace(name, Place{.source = one.source, .mangled = true});
        }
      }
    }
  }
  return places;
}

std::string AdviseOnMissing(const std::string& name, const Places& places,
                            const std::vector<std::string>& asked) {
  std::vector<std::string> candidates;
  for (const auto& [candidate, place] : places) {
    if (std::ranges::find(asked, candidate) == asked.end()) {
      candidates.push_back(candidate);
    }
  }
  const auto near = Nearest(name, candidates);
  if (!near) {
    return fmt::format("{} is required and defined nowhere", name);
  }
  const Place& place = places.find(*near)->second;
  return fmt::format("{} is required and defined nowhere; {} defines {}: is that name meant?{}",
                     name, place.source, *near,
                     place.mangled ? " (it is C++ as well: include interface.h there)" : "");
}

}  // namespace

std::vector<std::string> NamesInMangled(std::string_view symbol) {
  std::vector<std::string> names;
  const std::string_view kDigits = "0123456789";
  std::size_t at = symbol.find_first_of(kDigits);
  while (at != std::string_view::npos) {
    std::size_t length = 0;
    const char* const end = symbol.data() + symbol.size();
    const auto [stop, failure] = std::from_chars(symbol.data() + at, end, length);
    const auto begin = static_cast<std::size_t>(stop - symbol.data());
    const bool fits = failure == std::errc() && length > 0 && length <= symbol.size() - begin;
    if (fits) {
      names.emplace_back(symbol.substr(begin, length));
    }
    at = symbol.find_first_of(kDigits, fits ? begin + length : begin);
  }
  return names;
}

std::vector<SymbolAdvice> AdviseOnSymbols(const ChallengeSpec& challenge,
                                          const std::vector<SourceSymbols>& sources) {
  const Places places = PlacesIn(sources);
  const std::vector<std::string> asked = NamesOf(challenge.entry_points, &EntryPoint::name);
  std::vector<SymbolAdvice> advice;
  for (const EntryPoint& entry_point : challenge.entry_points) {
    const auto place = places.find(entry_point.name);
    if (place != places.end() && place->second.mangled) {
      advice.push_back(
          {.entry_point = entry_point,
           .text = fmt::format("{} is defined in {} as C++, so that nothing finds it: include "
                               "interface.h there, or write extern \"C\" before it",
                               entry_point.name, place->second.source)});
    } else if (place == places.end() && entry_point.required) {
      advice.push_back(
          {.entry_point = entry_point, .text = AdviseOnMissing(entry_point.name, places, asked)});
    }
  }
  return advice;
}

}  // namespace assay
