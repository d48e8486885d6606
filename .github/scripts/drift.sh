#!/usr/bin/env bash
# Checks FLEET for drift. Drift is a result, not a failure. Outputs: `exit-code`; `status`: `drift`, `none`,
# `incomplete` or `failed`; `incomplete`, true if part of the fleet could not be checked; `new`, the number of WLANs
# with new drift and of undeclared guard fields that changed. $results/stored is the input of the next check.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

options=()
add_options
stored=$results/stored
memory=$RUNNER_TEMP/snapshot
mkdir -p "$stored"

# check OPTION…
check() {
  run_program drift --format github \
    --report "markdown=$results/report.md" --report "summary=$results/summary.md" \
    --report "html=$results/report.html" --report "prometheus=$results/wlanctl.prom" \
    --report "json=$results/stored/drift.json" "${options[@]}" "$@" -- "$FLEET"
}

# The reports of earlier checks contain the time since which a field differs; the snapshot contains undeclared fields.
since=()
for earlier in drift drift-{1..9} snapshot; do
  if [[ -f $memory/$earlier.json ]]; then since+=(--since "$memory/$earlier.json"); fi
done
check "${since[@]}"
if [[ $code == 3 && ${#since[@]} -gt 0 ]]; then
  echo '::notice::Checking again without the earlier reports, which may be what is wrong' >&2
  check
fi

# unread FILE: the number of sites that a report lacks.
unread() { jq '.summary.sites_failed' "$1"; }

# Earlier reports are kept until a newer one has read every site.
at=0
if [[ -f $stored/drift.json ]]; then at=1; fi
for earlier in drift drift-{1..9}; do
  if [[ ! -f $memory/$earlier.json || $at -gt 9 ]]; then break; fi
  newest=$stored/drift-$((at - 1)).json
  if [[ $at == 1 ]]; then newest=$stored/drift.json; fi
  if [[ $at -gt 0 && $(unread "$newest") == 0 ]]; then break; fi
  if [[ $at == 0 ]]; then target=drift; else target=drift-$at; fi
  cp "$memory/$earlier.json" "$stored/$target.json"
  at=$((at + 1))
done

# The changes since the last check: declared fields that differ, and undeclared guard fields.
# shellcheck disable=SC2016 # jq, not a command.
fresh='def moved: [.findings[] | select(.code == "UNDECLARED_CHANGED")];
  def fresh: [.changes[]
      | {address, owner, fields: ([.patch[] | select(.op != "test") | .path] - ((.first_seen // {}) | keys))}
      | select(.fields != [])]
    + [moved[] | {address, owner, fields: [.message | capture("^(?<field>/[^ ]+)").field]}];'

status=failed incomplete=false new=0
if [[ -f $results/report.md && $code != 1 && $code != 130 ]]; then
  read -r status incomplete new < <(jq --raw-output "$fresh"'
    (.summary.sites_failed + .summary.blocked > 0) as $incomplete
    | (if .summary.changed > 0 or moved != [] then "drift" elif $incomplete then "incomplete" else "none" end) as $status
    | "\($status) \($incomplete) \(fresh | length)"' "$stored/drift.json")
  # A violated policy, for example; the report has the reason.
  if [[ $status == none && $code != 0 ]]; then status=incomplete; fi
elif [[ ! -f $results/report.md ]]; then
  give_up 'Drift: cannot be checked' "$(reason)"
fi
output exit-code "$code"
output status "$status"
output incomplete "$incomplete"
output new "$new"

if [[ $status == drift ]]; then
  apply=$(workflow_link reconcile 'plan and apply')
  adopt=$(workflow_link adopt 'adopt')
  add_to_report "${apply:+- To set the live WLANs as declared, run $apply, which shows the plan first.}"
  add_to_report "${adopt:+- To keep the live values, run $adopt, which opens a pull request with them.}"
fi

# The new drift, for a comment that mentions its owners; names without an organisation are teams of this one.
if [[ $status == drift ]]; then
  jq --raw-output --arg organisation "${GITHUB_REPOSITORY%%/*}" "$fresh"'
    def safe: gsub("[^\\w ./:@+-]"; "_");
    def mention: if test("^@[\\w-]+(/[\\w.-]+)?$") then . elif test("^[a-z0-9][\\w.-]*$")
      then "@\($organisation)/\(.)" else "`\(safe)`" end;
    fresh | .[:50][]
    | "- `\(.address | safe)`: \([.fields[] | "`\(safe)`"] | .[:10] | join(", "))"
      + (if .owner then " \(.owner | mention)" else "" end)' "$stored/drift.json" >"$results/new.md"
fi
if [[ $code != 2 ]]; then exit "$code"; fi
