#!/usr/bin/env bash
# Applies FLEET, in place of this shell: what the plan of the pull request approves, if there is one.
# Of all SECRETS, a JSON object, the program is given those for WLANs and no other.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

mkdir -p "$results"
options=(--yes --format github --record "$results/record.jsonl")
options+=(--report "markdown=$results/report.md" --report "summary=$results/summary.md")
options+=(--report "html=$results/report.html")
if [[ -f $RUNNER_TEMP/approval/plan.json ]]; then
  options+=(--plan "$RUNNER_TEMP/approval/plan.json")
fi
compare_with_base

# What jq says of a wrong text quotes it.
if ! names=$(jq --null-input --raw-output 'env.SECRETS | fromjson | keys[]
  | select(test("^WLAN_SECRET_[A-Z0-9_]+$"))' 2>/dev/null); then
  echo '::error::The secrets could not be read' >&2
  exit 1
fi
for name in $names; do
  value=$(SECRET=$name jq --null-input --raw-output 'env.SECRETS | fromjson | .[env.SECRET]')
  export "$name=$value"
done
unset SECRETS

exec node "$wlanctl" apply "${options[@]}" -- "$FLEET"
