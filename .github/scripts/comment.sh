#!/usr/bin/env bash
# Writes the report as the one comment of its KIND on PULL_REQUEST, or over the one that is there:
# found by its marker and its author, since anybody can write the marker.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

marker=$(marker "$KIND")
comments=repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments

comment=$(gh api --paginate "$comments?per_page=100" |
  jq --slurp --arg marker "$marker" --arg bot "$bot" \
    '[(add // [])[] | select(.user.login == $bot and (.body | startswith($marker)))] | first | .id // empty')

if [[ -n $comment ]]; then
  target=(--method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$comment")
else
  target=(--method POST "$comments")
fi
body "$marker" "$results/report.md" "There is no report of this $KIND" |
  gh api "${target[@]}" --input - >/dev/null
