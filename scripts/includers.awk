# SPDX-License-Identifier: Apache-2.0
# Prints the files of the first input, a line each, and every file that includes one of them, directly
# or through others. The second input has the includes: FILE:#include "PATH", as git grep prints them.
# PATH is taken for every file that ends in it, whichever folder the compiler would look in: too many
# rather than too few.
FNR == NR { reach($0); next }
{
  file = substr($0, 1, index($0, ":") - 1)
  split($0, parts, "\"")
  gsub(/^(\.\.?\/)+/, "", parts[2])
  includers[parts[2]] = includers[parts[2]] "\n" file
}
END {
  for (i = 0; i < count; ++i) {
    print queue[i]
    for (path = queue[i]; path != ""; path = sub(/^[^\/]*\//, "", path) ? path : "")
      for (k = split(includers[path], files, "\n"); k > 1; --k) reach(files[k])
  }
}
function reach(file) { if (!(file in reached)) { reached[file]; queue[count++] = file } }
