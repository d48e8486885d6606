# shellcheck shell=bash
# What the scripts of the workflows share; they source it.
set -euo pipefail

# Where the action installed the program: never in a checkout.
wlanctl=$RUNNER_TEMP/wlanctl/node_modules/wlanctl/dist/wlanctl.js

# What a run writes, and where its next steps and jobs look for it.
results=$RUNNER_TEMP/results

# Whom GitHub names as the author of what a workflow writes.
bot='github-actions[bot]'

# The first line of the comment or issue of this fleet, by which it is found again.
marker() {
  if [[ ! $NAME =~ ^[a-z0-9][a-z0-9-]*$ ]]; then
    echo "::error::The name of the fleet may hold a-z, 0-9 and - only" >&2
    return 1
  fi
  printf '<!-- wlanctl:%s:%s -->' "$1" "$NAME"
}

# output NAME VALUE: nothing in the value can end it, and so begin another output.
output() {
  local end
  end=$(openssl rand -hex 16)
  printf '%s<<%s\n%s\n%s\n' "$1" "$end" "$2" "$end" >>"$GITHUB_OUTPUT"
}

# Adds to `options` the revision BASE to compare the files with, if the checkout has it. How many sites
# are new does not limit a run of a workflow.
compare_with_base() {
  if [[ -z ${BASE:-} ]]; then return; fi
  if git rev-parse --quiet --verify --end-of-options "$BASE^{commit}" >/dev/null 2>&1; then
    options+=(--base "$BASE" --max-new-sites all)
  else
    echo '::notice::The checkout does not have the base, so the files are not compared with it' >&2
  fi
}

# The page of this run.
run_url() {
  printf '%s/%s/actions/runs/%s' "$GITHUB_SERVER_URL" "$GITHUB_REPOSITORY" "$GITHUB_RUN_ID"
}

# body MARKER FILE OTHERWISE: the text of a comment or issue as a JSON body, with MARKER in place of
# the one that the program writes. GitHub takes up to 65,536 characters; what is longer, or was never
# written, is replaced by OTHERWISE.
body() {
  local report text page=
  if [[ -f $results/report.html ]]; then page=': `report.html` shows all of it in a browser'; fi
  report=$(mktemp)
  text=$(mktemp)
  if [[ -s $2 && $(wc -c <"$2") -le 65000 ]]; then
    sed '1{/^<!-- wlanctl:/d;}' "$2" >"$report"
  else
    printf '%s.\n' "$3" >"$report"
  fi
  {
    printf '%s\n' "$1"
    cat "$report"
    printf '\n<sub>[The run](%s), with its log and artifacts%s</sub>\n' "$(run_url)" "$page"
  } >"$text"
  jq --null-input --rawfile body "$text" '{body: $body}'
}

# stored NAME FILTER FOLDER: downloads the newest artifact of this name for which the jq FILTER
# holds, made by a branch of this repository: a run of a fork belongs to the repository as well, and
# may call its artifacts as it likes. Without one there is no FOLDER.
stored() {
  local run
  run=$(gh api --paginate "repos/$GITHUB_REPOSITORY/actions/artifacts?name=$1&per_page=100" |
    jq --slurp --raw-output "[.[].artifacts[] | select(.expired | not)
      | select(.workflow_run.head_repository_id == .workflow_run.repository_id)
      | select($2)] | sort_by(.created_at) | last | .workflow_run.id // empty")
  if [[ -z $run ]]; then return; fi
  gh run download "$run" --repo "$GITHUB_REPOSITORY" --name "$1" --dir "$3"
}
