#!/usr/bin/env bash
# Applies FLEET, as far as the plans of the pull requests approve it, if there are any. From SECRETS, a JSON object, the
# program gets only those for WLANs and those that SECRETS_FOR_COMMAND names.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

mkdir -p "$results"
options=(--yes --format github --record "$results/record.jsonl")
options+=(--report "markdown=$results/report.md" --report "summary=$results/summary.md")
options+=(--report "html=$results/report.html" --report "json=$results/outcomes.json")
if [[ -n ${MAX_PLAN_AGE:-} ]]; then options+=(--max-plan-age "$MAX_PLAN_AGE"); fi
if [[ -n ${SITE:-} ]]; then options+=(--site "$SITE"); fi
for plan in "$RUNNER_TEMP"/approval/*/plan.json; do
  if [[ -f $plan ]]; then options+=(--plan "$plan"); fi
done
compare_with_base
add_options

# The program rejects an empty variable.
for name in PAUSE CHECK SECRETS_COMMAND; do
  if [[ -n ${!name:-} ]]; then export "WLANCTL_$name=${!name}"; fi
done

# The secrets that the caller names for the secrets command, such as the login of a vault.
names_of_command=" $(tr ',\n' '  ' <<<"${SECRETS_FOR_COMMAND:-}") "
export names_of_command

# jq quotes an invalid text in its message, so the message is not shown.
if ! names=$(jq --null-input --raw-output 'env.SECRETS | fromjson | keys[]
  | select(test("^WLAN_SECRET_[A-Z0-9_]+$") or (test("^[A-Z][A-Z0-9_]*$") and (test("^(WLANCTL|GITHUB|RUNNER|NODE|LD|BASH)_|^PATH$") | not)
    and (. as $name | env.names_of_command | contains(" \($name) "))))' 2>/dev/null); then
  give_up 'Apply: nothing was sent' 'The secrets could not be read'
  exit 1
fi
for name in $names; do
  value=$(SECRET=$name jq --null-input --raw-output 'env.SECRETS | fromjson | .[env.SECRET]')
  export "$name=$value"
done
unset SECRETS names_of_command

run_program apply "${options[@]}" -- "$FLEET"
if [[ -f $results/outcomes.json ]]; then add_to_report "$(next_steps "$results/outcomes.json")"; fi
if [[ -f $results/record.jsonl ]]; then
  # The next run starts from this commit, if this run was about the fleet.
  if [[ -z ${SITE:-} ]]; then mkdir -p "$RUNNER_TEMP/applied" && cp "$results/record.jsonl" "$RUNNER_TEMP/applied/"; fi
  title='Apply: ended without a report, see record.jsonl'
else
  title='Apply: nothing was sent'
fi
if [[ ! -f $results/report.md ]]; then give_up "$title" "$(reason)"; fi
exit "$code"
