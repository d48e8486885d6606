#!/usr/bin/env bash
# Keeps the one issue about the drift of a fleet, by what the check ended with: 2 opens it or writes
# it anew, 0 closes it. Anything else says nothing about drift, and leaves it as it is.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

marker=$(marker drift)
issues=repos/$GITHUB_REPOSITORY/issues

issue=$(gh api --paginate "$issues?state=open&per_page=100" |
  jq --slurp --arg marker "$marker" --arg bot "$bot" \
    '[(add // [])[] | select(.user.login == $bot and (.pull_request | not))
      | select(.body // "" | startswith($marker))] | first | .number // empty')

report() {
  body "$marker" "$results/report.md" 'Live differs from what is declared'
}

case $EXIT_CODE:${issue:+open} in
  2:open) report | gh api --method PATCH "$issues/$issue" --input - >/dev/null ;;
  2:)
    report | jq --arg title "Drift: $NAME is not as declared" '. + {title: $title}' |
      gh api --method POST "$issues" --input - >/dev/null
    ;;
  0:open)
    jq --null-input --arg run "$(run_url)" '{body: "As declared again: [the check](\($run)) found no drift."}' |
      gh api --method POST "$issues/$issue/comments" --input - >/dev/null
    jq --null-input '{state: "closed", state_reason: "completed"}' |
      gh api --method PATCH "$issues/$issue" --input - >/dev/null
    ;;
esac
