// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_BASE_ADD_ONCE_H_
#define ASSAY_BASE_ADD_ONCE_H_

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

namespace assay {

/// `one` at the end of `list`, unless it is in it. For lists that are short or read by people: it
/// looks at each element.
template <class T>
void AddOnce(std::vector<T>& list, std::type_identity_t<T> one) {
  if (std::ranges::find(list, one) == list.end()) {
    list.push_back(std::move(one));
  }
}

}  // namespace assay

#endif  // ASSAY_BASE_ADD_ONCE_H_
