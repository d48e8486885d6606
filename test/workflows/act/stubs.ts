import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from '../../support/git.ts'

/** A stub of a GitHub action in bash; each input is a variable. */
interface Stub {
  readonly inputs: readonly string[]
  readonly run: string
}

/**
 * Stubs of the actions that the workflows use. A checkout adds the fake `gh` to the path; with a commit it is
 * of this repository, otherwise of the fleet. An artifact is uploaded to the fake GitHub, whose `gh` lists it
 * for later runs. Node comes with the built program, as if installed before: npm cannot reach a registry.
 */
const stubs: Readonly<Record<string, Stub>> = {
  checkout: {
    inputs: ['repository', 'ref', 'path', 'persist-credentials', 'fetch-depth'],
    run: `echo "$FAKE_BIN" >>"$GITHUB_PATH"
if [[ -n $REF ]]; then ln -s "$OWN" "$GITHUB_WORKSPACE/$TO"; else cp -r "$FLEET_FILES" "$GITHUB_WORKSPACE/$TO"; fi`
  },
  'setup-node': {
    inputs: ['node-version', 'package-manager-cache'],
    run: 'mkdir -p "$RUNNER_TEMP/wlanctl/node_modules" && ln -sfn "$OWN" "$RUNNER_TEMP/wlanctl/node_modules/wlanctl"'
  },
  'upload-artifact': {
    inputs: ['name', 'path', 'if-no-files-found', 'retention-days', 'overwrite'],
    run: `folder=$FAKE_GITHUB/artifacts/$(jq .id <<<"$FAKE_RUN")/$NAME
found=
while IFS= read -r path; do
  if [[ ! -e $path ]]; then continue; fi
  found=yes
  mkdir -p "$folder"
  if [[ -d $path ]]; then cp -r "$path/." "$folder/"; else cp "$path" "$folder/"; fi
done <<<"$TO"
if [[ -z $found ]]; then exit 0; fi
jq --arg name "$NAME" --argjson run "$FAKE_RUN" '.last += 1
  | .artifacts |= map(select(.name != $name or .workflow_run.id != $run.id))
  | .artifacts += [{id: .last, name: $name, expired: false, created_at: (.last | todate), workflow_run: $run}]
' "$FAKE_GITHUB/state.json" >"$FAKE_GITHUB/state.new" && mv "$FAKE_GITHUB/state.new" "$FAKE_GITHUB/state.json"`
  },
  'download-artifact': {
    inputs: ['name', 'path'],
    run: 'mkdir -p "$TO" && cp -r "$FAKE_GITHUB/artifacts/$(jq .id <<<"$FAKE_RUN")/$NAME/." "$TO/"'
  }
}

/** Writes each action to a repository of its own, as act requires; returns their folders by name. */
export function writeStubs(directory: string): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(stubs).map(([name, { inputs, run }]) => {
      const folder = join(directory, name)
      mkdirSync(folder, { recursive: true })
      const declared = inputs.map(input => [input, { description: input, default: '' }])
      const input = (key: string) => `$\{{ inputs.${key} }}`
      const env = { REF: input('ref'), TO: input('path'), NAME: input('name') }
      const runs = { using: 'composite', steps: [{ shell: 'bash', run, env }] }
      const action = { name, description: name, inputs: Object.fromEntries(declared), runs }
      // JSON is YAML.
      writeFileSync(join(folder, 'action.yml'), JSON.stringify(action))
      repository(folder)
      return [name, folder]
    })
  )
}
