# SPDX-License-Identifier: Apache-2.0
# Whether markdown does nothing but be read: no mention, link, image, reference to an issue, nor HTML
# other than folds. Prints the first line that is more, and why, and exits with 1.
#
# It reads less markdown than GitHub does, and refuses what it does not read: fences are three backticks
# at the start of a line, code is between two single backticks of one line, HTML is a whole line.
# GitHub looks for mentions and references in what is rendered, so that a backslash before them is no
# help: escapes are taken away first.

function refuse(why) {
  printf "line %d %s\n", NR, why
  refused = 1
  exit 1
}

function check_words(text) {
  if (text ~ /@[A-Za-z0-9]/) refuse("mentions somebody")
  if (text ~ /#[0-9]/ || text ~ /[Gg][Hh]-[0-9]/) refuse("refers to an issue")
  if (tolower(text) ~ /:\/\// || tolower(text) ~ /www\./) refuse("has an address")
}

# What is left of `line` without code, with escaped characters as they are shown.
function shown_text(line,    shown, c, end) {
  shown = ""
  while (line != "") {
    c = substr(line, 1, 1)
    if (c == "\\") {
      shown = shown substr(line, 2, 1)
      line = substr(line, 3)
    } else if (c == "`") {
      end = index(substr(line, 2), "`")
      if (end < 2) refuse("has code that does not end, or is empty")
      shown = shown " "
      line = substr(line, end + 2)
      if (substr(line, 1, 1) == "`") refuse("has two backticks together")
    } else {
      if (c == "<") refuse("has HTML")
      if (c == "[") refuse("has a link")
      if (c == "&") refuse("has a character reference")
      shown = shown c
      line = substr(line, 2)
    }
  }
  return shown
}

fenced {
  if ($0 == "```") fenced = 0
  else if ($0 ~ /^[ \t]*```+[ \t]*$/) refuse("may end a block of code")
  next
}
NR == 1 {
  if ($0 != "<!-- assay:pr -->") refuse("is not the mark of a comment")
  next
}
# Markdown does not begin again before an empty line.
html && $0 != "" && $0 !~ /^<\/?details>$/ { refuse("is inside HTML") }
{ html = 0 }
/^```[a-z]*$/ { fenced = 1; next }
/^[ \t]*(~~~|```)/ { refuse("begins a block of code") }
/^<\/?details>$/ { html = 1; next }
/^<details><summary>[^<>]*<\/summary>$/ {
  html = 1
  text = $0
  sub(/^<details><summary>/, "", text)
  sub(/<\/summary>$/, "", text)
  gsub(/&(#64|#[xX]40|commat);/, "@", text)
  gsub(/&(lt|gt|quot|amp);/, " ", text)
  if (text ~ /&/) refuse("has a character reference")
  check_words(text)
  next
}
{ check_words(shown_text($0)) }
END {
  if (!refused && fenced) {
    print "the last block of code does not end"
    exit 1
  }
}
