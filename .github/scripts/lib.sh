# shellcheck shell=bash
# Functions and variables that the scripts of the workflows share; the scripts source this file.
set -euo pipefail

# The installation folder of the action, which is never in a checkout.
wlanctl=$RUNNER_TEMP/wlanctl/node_modules/wlanctl/dist/wlanctl.js

# The results of a run, for its next steps and jobs.
results=$RUNNER_TEMP/results

# The author of comments and issues that a workflow writes.
# shellcheck disable=SC2034 # Other scripts use it.
bot='github-actions[bot]'

# The first line of the comment or issue of this fleet, which identifies it.
marker() {
  if [[ ! $NAME =~ ^[a-z0-9][a-z0-9-]*$ ]]; then
    echo "::error::The name of the fleet may hold a-z, 0-9 and - only" >&2
    return 1
  fi
  printf '<!-- wlanctl:%s:%s -->' "$1" "$NAME"
}

# output NAME VALUE: a random delimiter prevents the value from starting another output.
output() {
  local end
  end=$(openssl rand -hex 16)
  printf '%s<<%s\n%s\n%s\n' "$1" "$end" "$2" "$end" >>"$GITHUB_OUTPUT"
}

# Adds to `options` the revision BASE to compare the files with, if the checkout has it. With SCOPE=changed, the run
# covers only the sites whose declarations changed since. A workflow does not limit the number of new sites.
compare_with_base() {
  if [[ -z ${BASE:-} ]]; then return; fi
  if git rev-parse --quiet --verify --end-of-options "$BASE^{commit}" >/dev/null 2>&1; then
    if [[ ${SCOPE:-all} == changed ]]; then
      options+=(--changed-since "$BASE")
    else
      options+=(--base "$BASE" --max-new-sites all)
    fi
  else
    echo '::notice::The checkout does not have the base, so the files are not compared with it' >&2
  fi
}

# Adds the options of the workflow's caller to `options`, one per line of OPTIONS. Only a person may ignore a window,
# never a schedule.
add_options() {
  local line
  while IFS= read -r line; do
    if [[ $line == --ignore-windows* && ${GITHUB_EVENT_NAME:-} == schedule ]]; then
      refuse 'Nothing was sent' 'A run on a schedule cannot have the option --ignore-windows: start a workflow by hand with it.'
    fi
    if [[ -n $line ]]; then options+=("$line"); fi
  done <<<"${OPTIONS:-}"
}

# The page of this run attempt.
run_url() {
  printf '%s/%s/actions/runs/%s' "$GITHUB_SERVER_URL" "$GITHUB_REPOSITORY" "$GITHUB_RUN_ID"
  if [[ ${GITHUB_RUN_ATTEMPT:-1} != 1 ]]; then printf '/attempts/%s' "$GITHUB_RUN_ATTEMPT"; fi
}

# plain TEXT…: the last lines of a text, without control characters, as a code block in Markdown.
plain() {
  printf '%s\n' "$*" | tail -n 20 | tail -c 4000 | tr -d '\000-\010\013-\037\177' | sed 's/^/    /'
}

# give_up TITLE REASON: writes report, summary and annotation of a run that ended before the program could.
give_up() {
  local text
  mkdir -p "$results"
  printf '### 🔴 %s\n\n%s\n' "$1" "$(plain "$2")" >"$results/report.md"
  cp "$results/report.md" "$results/summary.md"
  text=${2//'%'/'%25'}
  text=${text//$'\r'/'%0D'}
  printf '::error title=wlanctl::%s: %s\n' "$1" "${text//$'\n'/'%0A'}" >&2
}

# retry COMMAND…: runs a command that calls GitHub, and retries it after a pause if GitHub or the network failed. A
# rejection (HTTP 4xx) is final, except for a rate limit, which needs a pause of a minute. Its stdin is the file
# `input`.
retry() {
  local answer problem pause
  answer=$(mktemp -p "$RUNNER_TEMP") problem=$(mktemp -p "$RUNNER_TEMP")
  for pause in 2 8 30 last; do
    if "$@" <"${input:-/dev/null}" >"$answer" 2>"$problem"; then
      cat "$answer"
      return 0
    fi
    if [[ $pause == last ]]; then break; fi
    if grep --quiet --ignore-case --extended-regexp 'HTTP 429|rate limit' "$problem"; then
      pause=60
    elif grep --quiet 'HTTP 4' "$problem"; then
      break
    fi
    sleep "$pause"
  done
  cat "$problem" >&2
  return 1
}

# api ARGUMENT…: `gh api` with retries.
api() {
  local input=
  if [[ " $* " == *' --input - '* ]]; then
    input=$(mktemp -p "$RUNNER_TEMP")
    cat >"$input"
  fi
  retry gh api "$@"
}

# workflow_link NAME TEXT: a link to the page that starts this workflow of the checkout, or the fleet's own one if it
# exists; empty if there is none.
workflow_link() {
  local file
  for file in "$1${NAME:+-$NAME}.yml" "$1.yml"; do
    if [[ -f .github/workflows/$file ]]; then
      printf '[%s](%s/%s/actions/workflows/%s)' "$2" "$GITHUB_SERVER_URL" "$GITHUB_REPOSITORY" "$file"
      return
    fi
  done
}

# next_steps FILE: the workflows of the checkout that continue after the outcomes in a file, or undo them.
next_steps() {
  local stale missing applied apply adopt revert
  read -r stale missing applied < <(jq --raw-output '.summary
    | "\(.stale // 0) \((.diverged // 0) + (.failed // 0) + (.unknown // 0) + (.skipped // 0)) \(.applied // 0)"' "$1")
  apply=$(workflow_link reconcile 'plan and apply')
  adopt=$(workflow_link adopt 'adopt')
  revert=$(workflow_link revert 'revert')
  if [[ $stale != 0 && -n $apply ]]; then
    printf -- '- **%s stale**: the live WLANs changed after the plan. To set them as declared, run %s, which shows the new plan first.' \
      "$stale" "$apply"
    if [[ -n $adopt ]]; then printf ' To keep the live values, run %s, which opens a pull request with them.' "$adopt"; fi
    printf '\n'
  elif [[ $missing != 0 && -n $apply ]]; then
    printf -- '- To send what is missing, run %s, which shows the new plan first.\n' "$apply"
  fi
  if [[ $applied != 0 && -n $revert ]]; then
    # shellcheck disable=SC2016 # Markdown, not a command.
    printf -- '- To undo this run, run %s with the run id `%s`.\n' "$revert" "$GITHUB_RUN_ID"
  fi
}

# add_to_report TEXT: appends a paragraph to the report and the summary.
add_to_report() {
  local file
  if [[ -z $1 ]]; then return; fi
  for file in "$results/report.md" "$results/summary.md"; do
    if [[ -f $file ]]; then printf '\n%s\n' "$1" >>"$file"; fi
  done
}

# refuse TITLE REASON: ends the script with its own report.
refuse() {
  give_up "$1" "$2"
  exit 1
}

# require_tip TITLE [HINT]: refuses COMMIT unless it is the last one of DEFAULT_BRANCH. The hint is the next step for
# the user.
require_tip() {
  local tip
  tip=$(api "repos/$GITHUB_REPOSITORY/git/ref/heads/$DEFAULT_BRANCH" | jq --raw-output '.object.sha') || return
  if [[ $tip == "$COMMIT" ]]; then return; fi
  refuse "$1: refused, nothing was sent" \
    "$COMMIT is not the last commit of $DEFAULT_BRANCH any more: applying it would undo later merges.
${2:-The run of $tip applies this change, too.}"
}

# run_program ARGUMENT…: runs the program; writes its exit code to `code`, and its stderr to $RUNNER_TEMP/stderr. A
# cancelled job signals only this shell, and a signal ends `wait` but not the child process.
run_program() {
  local pipe=$RUNNER_TEMP/stderr.pipe copy program
  rm -f "$pipe"
  mkfifo "$pipe"
  tee "$RUNNER_TEMP/stderr" <"$pipe" >&2 &
  copy=$!
  node "$wlanctl" "$@" 2>"$pipe" &
  program=$!
  trap 'kill -TERM "$program" 2>/dev/null || :' INT TERM
  code=0
  wait "$program" || code=$?
  while kill -0 "$program" 2>/dev/null; do
    code=0
    wait "$program" || code=$?
  done
  wait "$copy" || :
  rm -f "$pipe"
}

# reason: the message with which the program ended.
reason() {
  local text
  text=$(awk '/^wlanctl: |^error: / { text = "" } { text = text $0 "\n" } END { printf "%s", text }' \
    "$RUNNER_TEMP/stderr" | head -n 20)
  printf '%s' "${text:-"The program ended with exit code $code."}"
}

# body MARKER FILE [HISTORY]: the text of a comment or issue as a JSON body, with MARKER instead of the marker of the
# program, and HISTORY, lines of Markdown, at its end. GitHub accepts up to 65,536 characters.
body() {
  local report text page=
  # shellcheck disable=SC2016 # Markdown, not a command.
  if [[ -f $results/report.html ]]; then page=': `report.html` shows all of it in a browser'; fi
  report=$(mktemp -p "$RUNNER_TEMP")
  text=$(mktemp -p "$RUNNER_TEMP")
  if [[ -s $2 ]]; then
    sed '1{/^<!-- wlanctl:/d;}' "$2" >"$report"
  else
    printf '### 🔴 The run ended before it could write its report: it was stopped, or GitHub did not store it\n' >"$report"
  fi
  {
    printf '\n<sub>[The run](%s), with its log and artifacts%s</sub>\n' "$(run_url)" "$page"
    if [[ -n ${3:-} ]]; then printf '\n<details><summary>All runs</summary>\n\n%s\n\n</details>\n' "$3"; fi
  } >"$text"
  if [[ $(cat "$report" "$text" | wc -c) -gt 65400 ]]; then
    printf '%s\n\nThe report is too long for a comment: the run has it.\n' "$(verdict "$report")" >"$report.short"
    report+=.short
  fi
  { printf '%s\n' "$1" && cat "$report" "$text"; } | jq --raw-input --slurp '{body: .}'
}

# verdict FILE: the heading of a report.
verdict() {
  local line
  line=$(grep --max-count=1 '^### ' "$1" 2>/dev/null | cut -c 1-500 || :)
  printf '%s\n' "${line:-### The run ended without a report}"
}

# newest NAME FILTER: the run with the newest artifact of this name that matches the jq FILTER, from a branch of this
# repository: a run of a fork belongs to the repository, too, and may give its artifacts any name.
newest() {
  artifacts "$1" "$2" | jq --raw-output 'last | .workflow_run.id // empty'
}

# artifacts NAME FILTER: as `newest`, but all of them, the oldest first.
artifacts() {
  local answer
  answer=$(api --paginate "repos/$GITHUB_REPOSITORY/actions/artifacts?name=$1&per_page=100") || return
  jq --slurp "[.[].artifacts[] | select(.expired | not)
    | select(.workflow_run.head_repository_id == .workflow_run.repository_id)
    | select($2)] | sort_by(.created_at)" <<<"$answer"
}

# stored NAME FILTER FOLDER: downloads that artifact; FOLDER is missing if there is none.
stored() {
  local run
  run=$(newest "$1" "$2") || return
  if [[ -n $run ]]; then download "$run" "$1" "$3"; fi
}

# download RUN NAME FOLDER: downloads an artifact of a run completely or not at all.
download() {
  retry download_once "$@"
}

download_once() {
  rm -rf "$3"
  gh run download "$1" --repo "$GITHUB_REPOSITORY" --name "$2" --dir "$3"
}
