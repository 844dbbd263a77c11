# SPDX-License-Identifier: Apache-2.0
# Reads `./file:line:#include "path"` and says which are not in `list` (harness/layers.txt), and which lines
# of `list` name what nothing includes. A part of scripts/check_layers.
function fault(text) { print text > "/dev/stderr"; bad = 1 }

# The room, or the layer, that a path below harness/ lies in; empty when it is none.
function room_of(path, parts, n) {
  n = split(path, parts, "/")
  if (n > 2 && ((parts[1] "/" parts[2]) in order)) return parts[1] "/" parts[2]
  return (parts[1] in order) ? parts[1] : ""
}

BEGIN {
  while ((getline line < list) > 0) {
    ++at
    if (line ~ /^#/ || line == "") continue
    split(line, halves, ":")
    room = halves[1]
    order[room] = at
    n = split(halves[2], named, " ")
    for (i = 1; i <= n; ++i) {
      if (!(named[i] in order)) fault("harness/" list ":" at ": " room " may not use " named[i] ", which does not stand before it")
      allowed[room, named[i]] = at
    }
  }
}

{
  file = substr($0, 3, index($0, ":") - 3)
  rest = substr($0, index($0, ":") + 1)
  number = substr(rest, 1, index(rest, ":") - 1)
  split(rest, quoted, "\"")
  from = room_of(file)
  to = room_of(quoted[2])
  if (from == "" || to == "" || from == to) next
  used[from, to] = 1
  if ((from, to) in allowed) next
  if (file ~ /(_test|_bench|_fuzz|_rig|_for_test)\.(cc|h)$/) {
    split(from, own, "/"); split(to, other, "/")
    if (order[to] < order[from] || own[1] == other[1]) next
  }
  fault("harness/" file ":" number ": includes " quoted[2] "; " list " does not let " from " use " to)
}

END {
  for (pair in allowed) {
    if (pair in used) continue
    split(pair, ends, SUBSEP)
    fault("harness/" list ":" allowed[pair] ": names " ends[2] ", which " ends[1] " does not include; take it away")
  }
  exit bad
}
