# SPDX-License-Identifier: Apache-2.0
# Draws harness/layers.txt as a mermaid graph without the arrows that others imply: where a uses b and
# b uses c, none from a to c. A part of scripts/check_layers.
function id_of(room, id) { id = room; gsub("/", "_", id); return id }

/^#/ || /^$/ { next }
{
  split($0, halves, ":")
  rooms[++count] = halves[1]
  n[count] = split(halves[2], uses, " ")
  for (i = 1; i <= n[count]; ++i) {
    direct[count, i] = uses[i]
    reach[halves[1], uses[i]] = 1
    for (j = 1; j < count; ++j) if ((uses[i], rooms[j]) in reach) reach[halves[1], rooms[j]] = 1
  }
}
END {
  print "```mermaid\ngraph LR"
  for (r = 1; r <= count; ++r) {
    print "  " id_of(rooms[r]) "[\"" rooms[r] "\"]"
    for (i = 1; i <= n[r]; ++i) {
      implied = 0
      for (j = 1; j <= n[r]; ++j) if (j != i && ((direct[r, j], direct[r, i]) in reach)) implied = 1
      if (!implied) print "  " id_of(rooms[r]) " --> " id_of(direct[r, i])
    }
  }
  print "```"
}
