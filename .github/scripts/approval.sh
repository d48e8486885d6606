#!/usr/bin/env bash
# Finds the pull requests whose merges are to be applied, and fetches the plan of the last commit of each, which its
# reviewers saw, to $RUNNER_TEMP/approval/NUMBER. Refuses a commit that is no longer the tip of DEFAULT_BRANCH, and with
# REQUIRE_PLAN a commit without an approving plan. Outputs: `pull-requests`, their numbers, and `base`, the last applied
# commit.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

title='Apply: refused, nothing was sent'
repository=repos/$GITHUB_REPOSITORY
trap 'give_up "Apply: nothing was sent" "GitHub did not answer: run this job again"' ERR

# The newest commit before COMMIT whose apply started: later merges are still to be applied.
applied=$(artifacts "wlanctl-applied-$NAME" \
  '.workflow_run.head_branch == env.DEFAULT_BRANCH and .workflow_run.head_sha != env.COMMIT' |
  jq --raw-output 'reverse | limit(50; .[]) | .workflow_run.head_sha')
base=
for candidate in $applied ${BASE:-}; do
  if git merge-base --is-ancestor "$candidate" "$COMMIT" 2>/dev/null; then
    base=$candidate
    break
  fi
done
output base "$base"
merges=$COMMIT
if [[ -n $base ]]; then
  merges=$(git rev-list --first-parent --max-count=100 "$base..$COMMIT")
fi

pulls=
for merge in $merges; do
  pulls+=$(api "$repository/commits/$merge/pulls" | MERGE=$merge jq --raw-output '.[]
    | select(.merged_at and .merge_commit_sha == env.MERGE and .base.ref == env.DEFAULT_BRANCH)
    | "\(.number) \(.head.sha)"')$'\n'
done
output pull-requests "$(awk 'NF { printf "%s%s", space, $1; space = " " }' <<<"$pulls")"

require_tip Apply

missing=
while read -r number HEAD_COMMIT; do
  if [[ -z $number ]]; then continue; fi
  export HEAD_COMMIT
  stored "wlanctl-plan-$NAME" '.workflow_run.head_sha == env.HEAD_COMMIT' "$RUNNER_TEMP/approval/$number"
  if [[ ! -f $RUNNER_TEMP/approval/$number/plan.json ]]; then missing+=" #$number"; fi
done <<<"$pulls"
trap - ERR

if [[ -n $missing && ${REQUIRE_PLAN:-} == true ]]; then
  refuse "$title" "There is no plan of the last commit of$missing: it has expired, or the merge was before it was ready.
Run the plan of that pull request again, then this job."
elif [[ ! -d $RUNNER_TEMP/approval && ${REQUIRE_PLAN:-} == true ]]; then
  refuse "$title" "$COMMIT came without a pull request, so no plan approves it.
Open a pull request with the change, or set the input require-plan to false."
elif [[ -d $RUNNER_TEMP/approval ]]; then
  echo "Only what the plans of the pull requests approve is applied."
else
  echo '::notice::No plan of a pull request was found: what differs now is applied'
fi
