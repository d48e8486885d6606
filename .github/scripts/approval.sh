#!/usr/bin/env bash
# Finds the pull request whose merge made COMMIT, and fetches the plan that was made of its last
# commit, which is what its reviewers saw, to $RUNNER_TEMP/approval. The output `pull-request` is its
# number, empty where the commit came without one.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

pull=$(gh api "repos/$GITHUB_REPOSITORY/commits/$COMMIT/pulls" |
  jq '[.[] | select(.merged_at and .merge_commit_sha == env.COMMIT and .base.ref == env.DEFAULT_BRANCH)]
    | first // empty')
output pull-request "$(jq '.number' <<<"$pull")"

HEAD_COMMIT=$(jq --raw-output '.head.sha' <<<"$pull")
export HEAD_COMMIT
if [[ -n $HEAD_COMMIT ]]; then
  stored "wlanctl-plan-$NAME" '.workflow_run.head_sha == env.HEAD_COMMIT' "$RUNNER_TEMP/approval"
fi

if [[ -f $RUNNER_TEMP/approval/plan.json ]]; then
  echo "The plan of the pull request is what may be applied."
elif [[ ${REQUIRE_PLAN:-} == true ]]; then
  echo '::error::No plan of a pull request was found, and without one nothing is applied here'
  exit 1
else
  echo '::notice::No plan of a pull request was found: what differs now is applied'
fi
