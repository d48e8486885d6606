#!/usr/bin/env bash
# Maintains two issues about a fleet by the STATUS of the check. `drift` opens or updates the issue about drift, with a
# comment if NEW WLANs drift, because an edit sends no notification; `none` closes both. `not-applied` opens the issue
# about failing scheduled runs, and `applied` closes it. Any other status opens the issue that the fleet cannot be
# checked, with the time since when.
# Output: `news`, a line about the start or end of a problem.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

issues=repos/$GITHUB_REPOSITORY/issues
mkdir -p "$results"
news=

# issue_with MARKER: our open issue with this marker, if there is one.
issue_with() {
  api --paginate "$issues?state=open&per_page=100" |
    jq --slurp --arg marker "$1" --arg bot "$bot" \
      '[(add // [])[] | select(.user.login == $bot and (.pull_request | not))
        | select(.body // "" | startswith($marker))] | first // empty'
}

# open_issue TITLE, with the body on stdin.
open_issue() {
  local request
  request=$(jq --arg title "$1" '. + {title: $title,
    labels: (env.LABELS // "" | [splits("[, ]+") | select(. != "")]),
    assignees: (env.ASSIGNEES // "" | [splits("[, ]+") | select(. != "")])}')
  api --method POST "$issues" --input - <<<"$request" >/dev/null && return
  # An invalid assignee must not prevent the issue.
  jq 'del(.labels, .assignees)' <<<"$request" | api --method POST "$issues" --input - >/dev/null
}

comment_on() { api --method POST "$issues/$1/comments" --input - >/dev/null; }

# close_issue NUMBER TEXT
close_issue() {
  if [[ -z $1 ]]; then return; fi
  jq --null-input --arg text "$2" '{body: $text}' | comment_on "$1"
  jq --null-input '{state: "closed", state_reason: "completed"}' |
    api --method PATCH "$issues/$1" --input - >/dev/null
  news+=${news:+; }$2
}

write_drift() {
  local text=$results/drift.md note='Drift of more WLANs'
  {
    sed '1{/^<!-- wlanctl:/d;}' "$results/report.md" 2>/dev/null || :
    if [[ ${INCOMPLETE:-} == true ]]; then printf '\n**Incomplete:** some of the fleet could not be checked, and may drift as well.\n'; fi
  } >"$text"
  if [[ -z $drift ]]; then
    cp "$text" "$text.first"
    if [[ -s $results/new.md ]]; then { printf '\n#### Owners\n\n' && cat "$results/new.md"; } >>"$text.first"; fi
    body "$drift_marker" "$text.first" | open_issue "Drift: $NAME is not as declared"
    news="Drift: $NAME is not as declared"
    return
  fi
  body "$drift_marker" "$text" | api --method PATCH "$issues/$drift" --input - >/dev/null
  if [[ ${NEW:-0} == 0 ]]; then return; fi
  news="Drift: more of $NAME is not as declared"
  { printf '%s, found by [the check](%s):\n\n' "$note" "$(run_url)" && cat "$results/new.md"; } >"$text"
  jq --null-input --rawfile body "$text" '{body: $body}' | comment_on "$drift"
}

# write_failure ISSUE MARKER TITLE BEGINNING CONSEQUENCE: opens or updates the issue about failing runs, with the time
# since when they fail.
write_failure() {
  local since text=$results/failure.md
  since=$(jq --raw-output '.body | capture("^<[^\n]*\n\\*\\*[A-Za-z ]+ since (?<at>[0-9T:-]+Z)").at' <<<"$1")
  {
    printf '**%s since %s:** %s\n\n' "$4" "${since:-$(date -u +%Y-%m-%dT%H:%MZ)}" "$5"
    sed '1{/^<!-- wlanctl:/d;}' "$results/report.md" 2>/dev/null ||
      printf 'The job ended before it could write its report: its log has the reason.\n'
  } >"$text"
  if [[ -n $1 ]]; then
    body "$2" "$text" | api --method PATCH "$issues/$(jq .number <<<"$1")" --input - >/dev/null
  else
    body "$2" "$text" | open_issue "$3"
    news=$3
  fi
}

write_unchecked() {
  write_failure "$unchecked" "$unchecked_marker" "Drift: $NAME cannot be checked" 'Cannot check' \
    'drift of what could not be checked goes unnoticed.'
}

# Maintains only the issue about scheduled runs.
write_scheduled() {
  local marker issue
  marker=$(marker scheduled)
  issue=$(issue_with "$marker")
  if [[ $STATUS == applied ]]; then
    close_issue "$(jq '.number' <<<"$issue")" "Applied again: [the run]($(run_url)) succeeded."
  else
    write_failure "$issue" "$marker" "Scheduled: $NAME cannot be applied" 'Fails' \
      'periods do not begin or end, and changes that wait for a window are not sent.'
  fi
  output news "$news"
}

case ${STATUS:-failed} in
  applied | not-applied)
    write_scheduled
    exit 0
    ;;
esac

drift_marker=$(marker drift)
unchecked_marker=$(marker unchecked)
drift=$(issue_with "$drift_marker" | jq '.number')
unchecked=$(issue_with "$unchecked_marker")
case ${STATUS:-failed} in
  drift)
    write_drift
    if [[ ${INCOMPLETE:-} != true ]]; then
      close_issue "$(jq '.number' <<<"$unchecked")" "Checked again: [the check]($(run_url)) read all of it."
    fi
    ;;
  none)
    close_issue "$drift" "As declared again: [the check]($(run_url)) found no drift."
    close_issue "$(jq '.number' <<<"$unchecked")" "Checked again: [the check]($(run_url)) read all of it."
    ;;
  *) write_unchecked ;;
esac
output news "$news"
