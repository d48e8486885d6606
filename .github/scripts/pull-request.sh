#!/usr/bin/env bash
# Commits $results/tree.json on COMMIT to a branch of its own, and opens or updates its pull request. A branch with
# commits of others stays unchanged.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

repository=repos/$GITHUB_REPOSITORY
branch=wlanctl/adopt-$NAME
title="Adopt the live values of $NAME"
marker=$(marker adopt)
trap 'give_up "Adopt: no pull request" "GitHub did not answer, or refused: the log has the reason. Run this job again"' ERR

# post PATH, with the request on stdin: prints the response.
post() { api --method POST "$repository/$1" --input -; }

if ! jq --exit-status '.tree | length > 0 and all(.path | test("^\\.github/|(^|/)\\.\\.(/|$)") | not)
  and all(.path | test("\\.ya?ml$")) and all(.mode == "100644")' "$results/tree.json" >/dev/null; then
  refuse 'Adopt: no pull request' 'expected changes of YAML files of the fleet only'
fi
tree=$(post git/trees <"$results/tree.json" | jq --raw-output '.sha')

head=$(api "$repository/git/matching-refs/heads/$branch" |
  jq --raw-output --arg ref "refs/heads/$branch" '.[] | select(.ref == $ref) | .object.sha')
is_new=true
if [[ -n $head ]]; then
  commit=$(api "$repository/git/commits/$head")
  if ! jq --exit-status --arg title "$title" '.message == $title' <<<"$commit" >/dev/null; then
    refuse 'Adopt: no pull request' "the branch $branch has commits of its own: merge or delete it, and run this again"
  fi
  if jq --exit-status --arg tree "$tree" '.tree.sha == $tree and .parents[0].sha == env.COMMIT' <<<"$commit" >/dev/null; then
    is_new=false
  fi
fi
if [[ $is_new == true ]]; then
  new=$(jq --null-input --arg message "$title" --arg tree "$tree" '{message: $message, tree: $tree, parents: [env.COMMIT]}' |
    post git/commits | jq --raw-output '.sha')
  if [[ -n $head ]]; then
    jq --null-input --arg sha "$new" '{sha: $sha, force: true}' |
      api --method PATCH "$repository/git/refs/heads/$branch" --input - >/dev/null
  else
    jq --null-input --arg sha "$new" --arg ref "refs/heads/$branch" '{ref: $ref, sha: $sha}' | post git/refs >/dev/null
  fi
fi

number=$(api "$repository/pulls?state=open&per_page=100&head=${GITHUB_REPOSITORY%%/*}:$branch" | jq '.[0].number // empty')
printf '\n%s\n' 'The plan of this pull request should be empty: merging it changes no WLAN. GitHub starts no workflow for what a' \
  'workflow opens: close and reopen this pull request to have it planned.' >>"$results/report.md"
request=$(body "$marker" "$results/report.md" | jq --arg title "$title" '. + {title: $title}')
if [[ -n $number ]]; then
  api --method PATCH "$repository/pulls/$number" --input - <<<"$request" >/dev/null
else
  request=$(jq --arg head "$branch" '. + {head: $head, base: env.DEFAULT_BRANCH}' <<<"$request")
  if ! answer=$(post pulls <<<"$request"); then
    refuse 'Adopt: no pull request' "GitHub refused to open a pull request of the branch $branch.
Allow it in the settings of the repository: Actions, General, Workflow permissions, \"create and approve pull requests\"."
  fi
  number=$(jq '.number' <<<"$answer")
fi
printf '### Adopt: pull request #%s\n' "$number" >"$results/report.md"
cp "$results/report.md" "$results/summary.md"
