#!/usr/bin/env bash
# Adopts the live values of FLEET. Writes the new content of each changed file to $results/tree.json, a Git tree for the
# job that may write on GitHub, and nothing to the checkout. Output: `adopted`, the number of fields.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

mkdir -p "$results"
options=(--format json --out "$results/adopt.patch")
if [[ -n ${SITE:-} ]]; then options+=(--site "$SITE"); fi
add_options
run_program adopt "${options[@]}" -- "$FLEET" >"$results/adoption.json"
if [[ $code != 0 && $code != 5 ]]; then
  give_up 'Adopt: nothing was adopted' "$(reason)"
  exit "$code"
fi

jq --raw-output '
  def code: "`" + gsub("[^\\w ./:@+-]"; "_") + "`";
  def list(note): (group_by(.address) | map("- \(.[0].address | code): \(map((.pointer | code) + note) | .[:20] | join(", "))") | .[:200] | join("\n"));
  (if .summary.adopted == 0 then "### 🟢 Adopt: nothing to adopt"
    else "### 🔵 Adopt: \(.summary.adopted) fields in \(.summary.files) files" end),
  (if .adopted != [] then "\nThe files get the live values of these fields:\n\n" + (.adopted | list(if .less_safe then " ⚠ less secure" else "" end)) else empty end),
  (if .left != [] then "\n**Not adopted**, these still differ:\n\n" + (.left | list("")) else empty end)
' "$results/adoption.json" >"$results/report.md"
cp "$results/report.md" "$results/summary.md"
adopted=$(jq '.summary.adopted' "$results/adoption.json")
output adopted "$adopted"
if [[ $adopted == 0 ]]; then exit 0; fi

# Only in the index, which is outside of the checkout.
git apply --cached "$results/adopt.patch"
jq --null-input --arg base "$(git rev-parse 'HEAD^{tree}')" '{base_tree: $base, tree: []}' >"$results/tree.json"
while IFS= read -r -d '' path; do
  git show ":$path" >"$RUNNER_TEMP/content"
  jq --arg path "$path" --rawfile content "$RUNNER_TEMP/content" \
    '.tree += [{path: $path, mode: "100644", type: "blob", content: $content}]' "$results/tree.json" >"$RUNNER_TEMP/tree.json"
  mv "$RUNNER_TEMP/tree.json" "$results/tree.json"
done < <(git diff --cached --name-only -z)
