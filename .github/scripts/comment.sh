#!/usr/bin/env bash
# Creates or updates the comment of this KIND on each of PULL_REQUESTS. The comment is identified by its marker and its
# author, because anyone can write the marker. The comment of an apply lists all its runs.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

marker=$(marker "$KIND")

# The lines about the runs in a comment, including this run.
history_of() {
  if [[ $KIND != apply ]]; then return; fi
  { grep '^- \[Run [0-9]' <<<"$1" || :; } | tail -n 50
  printf -- '- [Run %s, attempt %s](%s): %s\n' "$GITHUB_RUN_ID" "${GITHUB_RUN_ATTEMPT:-1}" "$(run_url)" \
    "$(verdict "$results/report.md" | sed 's/^### //')"
}

comment_on() {
  local comments=repos/$GITHUB_REPOSITORY/issues/$1/comments comment id
  comment=$(api --paginate "$comments?per_page=100" |
    jq --slurp --arg marker "$marker" --arg bot "$bot" \
      '[(add // [])[] | select(.user.login == $bot and (.body | startswith($marker)))] | first // empty')
  id=$(jq '.id' <<<"$comment")
  if [[ -n $id ]]; then
    target=(--method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$id")
  else
    target=(--method POST "$comments")
  fi
  body "$marker" "$results/report.md" "$(history_of "$(jq --raw-output '.body' <<<"$comment")")" |
    api "${target[@]}" --input - >/dev/null
}

for number in $PULL_REQUESTS; do comment_on "$number"; done
