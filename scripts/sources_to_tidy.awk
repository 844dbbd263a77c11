# SPDX-License-Identifier: Apache-2.0
# Prints the sources that clang-tidy reads for a change, a line each: those that changed, and for each header
# that changed one that includes it, through as few others as can be. A header's text is the same in each.
# Inputs, each after list=NAME: the files that "changed", "all" files, the sources that are "compiled", the
# "includes" as git grep prints them, FILE:#include "PATH". A PATH is of FILE's own folder, or else of any:
# compilers' -I are not looked at.
list == "changed" { changed[++changes] = $0 }
list == "all" { known[$0] }
list == "compiled" { compiled[$0] }
list == "includes" {
  split($0, parts, "\"")
  file = substr($0, 1, index($0, ":") - 1)
  folder = file
  sub(/[^\/]*$/, "", folder)
  key = (folder parts[2]) in known ? folder parts[2] : "*/" parts[2]
  includers[key] = includers[key] "\n" file
}
END {
  for (i = 1; i <= changes; ++i)
    if (changed[i] in compiled) choose(changed[i])
  for (i = 1; i <= changes; ++i)
    if (changed[i] ~ /\.h$/) choose(reader(changed[i]))
}
function choose(source) {
  if (source == "" || source in chosen) return
  chosen[source]
  print source
}
# What includes the file itself, then what includes those: of the first that have a source among them, one
# that is read already, or else the first.
function reader(header,    near, found, reached, count, files, i) {
  near = "\n" header
  reached[header]
  while (near != "") {
    found = includers_of(near, reached)
    count = split(found, files, "\n")
    for (i = 2; i <= count; ++i)
      if (files[i] in chosen) return files[i]
    for (i = 2; i <= count; ++i)
      if (files[i] in compiled) return files[i]
    near = found
  }
  return ""
}
function includers_of(list, reached,    all, files, count, i, path, found, of_one, k, n) {
  count = split(list, files, "\n")
  for (i = 2; i <= count; ++i) {
    all = includers[files[i]]
    for (path = files[i]; path != ""; path = sub(/^[^\/]*\//, "", path) ? path : "")
      all = all includers["*/" path]
    n = split(all, of_one, "\n")
    for (k = 2; k <= n; ++k)
      if (!(of_one[k] in reached)) {
        reached[of_one[k]]
        found = found "\n" of_one[k]
      }
  }
  return found
}
