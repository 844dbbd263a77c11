// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_BASE_MEMBER_KINDS_H_
#define ASSAY_BASE_MEMBER_KINDS_H_

#include <optional>
#include <vector>

namespace assay {

/// Of what kind a member of a struct is, for code that writes or reads any struct.
template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

template <class T>
inline constexpr bool kIsVector = false;
template <class T>
inline constexpr bool kIsVector<std::vector<T>> = true;

}  // namespace assay

#endif  // ASSAY_BASE_MEMBER_KINDS_H_
