import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { StartedJob, TestForge } from '../ci/forge/forge.ts'
import type { Pull } from '../ci/forge/state.ts'
import { repository } from '../support/git.ts'
import { nth } from '../support/ids.ts'
import { folder, startCommand } from '../support/program.ts'
import { hq, PSK, packProgram, startPinned } from './fake/pinned.ts'

/**
 * Runs the workflow that `init` writes in nektos/act, which evaluates expressions, needs and outputs itself, with the
 * packed program and the forge of `test/ci`. `.ci/run` builds act if Go is installed.
 */
const hasAct = spawnSync('act', ['--version']).status === 0

/** A stub of an action in bash: the runner needs no network. Each input is a variable. */
const stubs: Readonly<
  Record<string, { readonly inputs: readonly string[]; readonly run: string }>
> = {
  checkout: {
    inputs: ['ref', 'fetch-depth', 'persist-credentials'],
    run: `cd "$GITHUB_WORKSPACE"
find . -mindepth 1 -delete
cp -a "$FAKE_CHECKOUT/." .
if [[ -n $REF ]]; then git checkout --quiet --force --detach "origin/$REF"; fi`
  },
  'upload-artifact': {
    inputs: ['name', 'path'],
    run: `if [[ ! -d $TO ]]; then exit 0; fi
id=$(($(ls "$FAKE_ARTIFACTS" | wc -l) + 1))
mkdir "$FAKE_ARTIFACTS/$id"
cp -r "$TO/." "$FAKE_ARTIFACTS/$id/"
echo "$NAME" >"$FAKE_ARTIFACTS/$id/.name"
echo "artifact-id=$id" >>"$GITHUB_OUTPUT"`
  },
  'download-artifact': {
    inputs: ['artifact-ids', 'path'],
    run: `mkdir -p "$TO"
if [[ -n $IDS ]]; then cp -r "$FAKE_ARTIFACTS/$IDS/." "$TO/"; exit; fi
for id in $(ls "$FAKE_ARTIFACTS"); do cp -r "$FAKE_ARTIFACTS/$id" "$TO/$(cat "$FAKE_ARTIFACTS/$id/.name")"; done`
  }
}

/** Writes each action to a repository of its own, as act requires; returns the options that name them. */
function stubOptions(directory: string, files: Readonly<Record<string, string>>): string[] {
  const pins = new Set(
    Object.values(files).flatMap(text => text.match(/(?<=uses: actions\/)\S+/g) ?? [])
  )
  for (const [name, { inputs, run }] of Object.entries(stubs)) {
    const target = join(directory, name)
    mkdirSync(target, { recursive: true })
    const input = (key: string) => `$\{{ inputs.${key} }}`
    const env = {
      REF: input('ref'),
      TO: input('path'),
      NAME: input('name'),
      IDS: input('artifact-ids')
    }
    const isUpload = name === 'upload-artifact'
    const action = {
      name,
      description: name,
      inputs: Object.fromEntries(inputs.map(key => [key, { description: key, default: '' }])),
      ...(isUpload && {
        outputs: {
          'artifact-id': { description: 'id', value: `$\{{ steps.run.outputs.artifact-id }}` }
        }
      }),
      runs: { using: 'composite', steps: [{ id: 'run', shell: 'bash', run, env }] }
    }
    // JSON is YAML.
    writeFileSync(join(target, 'action.yml'), JSON.stringify(action))
    repository(target)
  }
  return [...pins].flatMap(pin => [
    '--local-repository',
    `actions/${pin}=${join(directory, pin.replace(/@.*/, ''))}`
  ])
}

packProgram()

/** A repository with the files of `init`, its service, and act as its runner. */
async function stage() {
  const { files, forge, simulator, live } = await startPinned('github')
  const options = stubOptions(join(folder(), 'actions'), files)
  return { forge, simulator, live, run: runner(forge, options, simulator.token) }
}

/** The variables of a runner that act would make up. */
const FROM_FORGE =
  /^GITHUB_(?:API_URL|SERVER_URL|REPOSITORY|RUN_|SHA|REF|HEAD_REF|EVENT_NAME|WORKFLOW_REF)/

interface Event {
  readonly pull?: Pull
  /** False for a repository without secrets. */
  readonly isSetUp?: boolean
}

/** Runs the workflow in act for an event of the forge, and stores its artifacts there. */
function runner(forge: TestForge, options: readonly string[], token: string) {
  return async (
    name: Parameters<TestForge['start']>[0],
    event: string,
    { pull, isSetUp = true }: Event = {}
  ) => {
    const job = forge.start(name, pull && { pull })
    const home = folder()
    const artifacts = join(home, 'artifacts')
    mkdirSync(artifacts)
    const payload = join(home, 'event.json')
    const known = JSON.parse(readFileSync(job.env['GITHUB_EVENT_PATH'] ?? '', 'utf8'))
    const schedule = event === 'schedule' && { schedule: '43 3 * * *' }
    writeFileSync(payload, JSON.stringify({ ref: 'refs/heads/main', ...known, ...schedule }))
    const env = {
      ...Object.fromEntries(Object.entries(job.env).filter(([key]) => FROM_FORGE.test(key))),
      FAKE_CHECKOUT: job.cwd,
      FAKE_ARTIFACTS: artifacts
    }
    const ofService = {
      WLANCTL_API_TOKEN: token,
      WLANCTL_READ_TOKEN: token,
      WLANCTL_SECRETS: `WLAN_SECRET_GUEST=${PSK}`
    }
    // act has one token for all jobs: the one of the report may do what the others may.
    const secrets = { GITHUB_TOKEN: forge.tokens.report, ...(isSetUp ? ofService : {}) }
    const pairs = (option: string, values: Readonly<Record<string, string>>) =>
      Object.entries(values).flatMap(([key, value]) => [option, `${key}=${value}`])
    const words = [
      ...[event, '--eventpath', payload, '--workflows', '.github/workflows/wlanctl.yml'],
      ...['--platform', 'ubuntu-24.04=-self-hosted', '--defaultbranch', 'main'],
      ...[...pairs('--env', env), ...pairs('--secret', secrets), ...options]
    ]
    const machine = { cwd: job.cwd, env: { PATH: process.env['PATH'] ?? '', HOME: home } }
    const { code, stdout, stderr } = await startCommand('act', words, machine).ended
    for (const id of readdirSync(artifacts).sort()) store(forge, job, join(artifacts, id))
    return { code, log: code === 0 ? '' : stdout + stderr, shown: stdout, job }
  }
}

/** Stores an artifact of act on the forge; it holds no secret. */
function store(forge: TestForge, job: StartedJob, folder: string): void {
  const names = readdirSync(folder).filter(name => name !== '.name')
  const files = names.map(name => [name, readFileSync(join(folder, name), 'utf8')])
  expect(JSON.stringify(files)).not.toContain(PSK)
  forge.write(job, Object.fromEntries(files))
  forge.finish(job, readFileSync(join(folder, '.name'), 'utf8').trim().replace(/-\d+$/, ''))
}

const good = { code: 0, log: '' }

describe.skipIf(!hasAct)('the workflow that `init` writes, in act', { timeout: 300_000 }, () => {
  it('plan a pull request, and apply its merge', async () => {
    const { forge, live, run } = await stage()
    const first = await run('apply', 'push', { isSetUp: false })
    expect(first).toMatchObject({ ...good, shown: expect.stringContaining('not set up yet') })

    const pull = forge.openPullRequest({ files: { 'sites/hq.yaml': hq(21) } })
    expect(await run('plan', 'pull_request', { pull })).toMatchObject(good)
    expect(pull.comments.map(({ body }) => body)).toEqual([expect.stringContaining('vlan_id')])

    forge.merge(pull)
    expect(await run('apply', 'push')).toMatchObject(good)
    expect(live('vlan_id')).toBe(21)
    expect(pull.comments).toHaveLength(2)
  })

  it('report drift', async () => {
    const { forge, simulator, run } = await stage()
    await run('apply', 'push')
    simulator.edit(nth(1), nth(11), { vlan_id: 99 })
    expect(await run('drift', 'schedule')).toMatchObject(good)
    expect(forge.state.issues).toMatchObject([{ body: expect.stringContaining('vlan_id') }])
  })
})
