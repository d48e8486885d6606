#!/usr/bin/env bash
# Checks out the newest commit of DEFAULT_BRANCH whose apply started, for a scheduled run, so that a merge which waits
# for the approval of the environment is not sent without it. If there is no such commit, nothing is sent. Nothing is
# sent between a revert and the next apply either, because that would repeat the undone changes.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

trap 'give_up "Apply: nothing was sent" "GitHub did not answer: run this job again"' ERR

runs=$(artifacts "wlanctl-applied-$NAME" '.workflow_run.head_branch == env.DEFAULT_BRANCH')
reverted=$(artifacts "wlanctl-reverted-$NAME" '.workflow_run.head_branch == env.DEFAULT_BRANCH' |
  jq --raw-output --argjson runs "$runs" '[.[] | select(.created_at > ($runs | last | .created_at // ""))] | last | .workflow_run.id // empty')
applied=$(jq --raw-output 'reverse | limit(50; .[]) | .workflow_run.head_sha' <<<"$runs")
trap - ERR
if [[ -n $reverted ]]; then
  refuse 'Apply: nothing was sent' "Run $reverted undid an apply, and the files still declare what it undid.
Revert the pull request and apply that merge, or run the workflow that plans and applies."
fi
for commit in $applied; do
  if ! git merge-base --is-ancestor "$commit" "$COMMIT" 2>/dev/null; then continue; fi
  git checkout --quiet --detach "$commit"
  output commit "$commit"
  echo "Applying the files of $commit, the newest commit whose apply began"
  exit 0
done
give_up 'Apply: nothing was sent' "No commit of $DEFAULT_BRANCH was applied yet, or its record has expired.
Run the workflow that applies a merge first."
exit 1
