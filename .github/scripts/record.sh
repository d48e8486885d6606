#!/usr/bin/env bash
# Fetches the records of all attempts of RUN, a run of DEFAULT_BRANCH in this repository, to
# $RUNNER_TEMP/record/record.jsonl, the first attempt first.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

title='Revert: nothing to undo'
if [[ ! $RUN =~ ^[0-9]{1,20}$ ]]; then
  refuse "$title" "expected the id of a run, the number at the end of its address, got $(plain "$RUN" | head -n 1 | cut -c 5-80)"
fi
marker record >/dev/null
trap 'give_up "$title" "GitHub did not answer: run this job again"' ERR
stored=$(api --paginate "repos/$GITHUB_REPOSITORY/actions/runs/$RUN/artifacts?per_page=100" |
  jq --slurp --raw-output '[.[].artifacts[] | select(.expired | not)
    | select(.workflow_run.head_repository_id == .workflow_run.repository_id)
    | select(.workflow_run.head_branch == env.DEFAULT_BRANCH)
    | .name | capture("^wlanctl-record-\(env.NAME)-(?<attempt>[0-9]+)$").attempt | tonumber]
    | unique | .[]')
mkdir -p "$RUNNER_TEMP/record"
for attempt in $stored; do
  folder=$RUNNER_TEMP/records/$attempt
  download "$RUN" "wlanctl-record-$NAME-$attempt" "$folder"
  if [[ -f $folder/record.jsonl ]]; then cat "$folder/record.jsonl" >>"$RUNNER_TEMP/record/record.jsonl"; fi
done
trap - ERR
if [[ ! -f $RUNNER_TEMP/record/record.jsonl ]]; then
  refuse "$title" "run $RUN has no record of $NAME: it sent nothing, it is not of $DEFAULT_BRANCH, or its record has expired"
fi
