import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import packageJson from '../../package.json' with { type: 'json' }
import { readSeed } from '../../src/simulator/fleet/seed.ts'
import { simulate } from '../simulator/simulate.ts'
import { folder, PROGRAM, ROOT, startCommand } from '../support/program.ts'
import { filesIn, type Job, read, type Workflow, workflow } from './fake/workflow.ts'

/** Runs lines of shell in a copy of an example, with its service and the built program. */
async function example(name: string) {
  const directory = join(ROOT, 'examples', name)
  const sites = readSeed(readFileSync(join(directory, 'simulator.json'), 'utf8'))
  const { simulator } = await simulate({ sites })
  const cwd = folder()
  cpSync(directory, cwd, { recursive: true })
  const base = { WLANCTL_BASE_URL: simulator.url, WLANCTL_API_TOKEN: simulator.token }
  return {
    cwd,
    simulator,
    run: (script: string, env: Readonly<Record<string, string>> = {}) =>
      startCommand('bash', ['-euc', script], { cwd, env: { ...base, ...env } }).ended
  }
}

describe('examples/github', () => {
  const caller = (name: string): Workflow =>
    parse(read(`examples/github/.github/workflows/${name}.yml`))

  const names = ['plan', 'apply', 'drift', 'reconcile', 'revert', 'adopt', 'scheduled']
  describe.each(names)('%s.yml', name => {
    const called = workflow(name)
    const job = caller(name).jobs['wlans']
    const [uses = '', version = ''] =
      /uses: (.*)$/m
        .exec(read(`examples/github/.github/workflows/${name}.yml`))?.[1]
        ?.split(' # ') ?? []

    it('calls the workflow of this version by commit', () => {
      expect(uses).toMatch(new RegExp(`/wlanctl/\\.github/workflows/${name}\\.yml@[0-9a-f]{40}$`))
      expect(version).toBe(`v${packageJson.version}`)
    })

    it('grants exactly the permissions that the called jobs need', () => {
      const needed = Object.assign({}, ...Object.values(called.jobs).map(each => each.permissions))
      const scopes = Object.keys(needed)
      const highest = (scope: string) =>
        Object.values(called.jobs).some(each => each.permissions?.[scope] === 'write')
          ? 'write'
          : 'read'
      expect(job?.permissions).toEqual(
        Object.fromEntries(scopes.map(scope => [scope, highest(scope)]))
      )
      expect(caller(name).permissions).toEqual({})
    })

    it('sets only existing inputs and secrets', () => {
      const { inputs = {}, secrets = {} } = called.on.workflow_call ?? {}
      expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(job?.with ?? {})))
      const given = job?.secrets ?? {}
      const hasEnvironment = Object.values(called.jobs).some(each => each.environment)
      if (typeof given === 'string') expect([hasEnvironment, given]).toEqual([true, 'inherit'])
      else expect(Object.keys(given)).toEqual(Object.keys(secrets))
    })
  })
})

it('a job with the secrets of the environment never runs for a pull request', () => {
  const startedBy = (name: string) =>
    parse(read(`examples/github/.github/workflows/${name}.yml`)).on
  expect(startedBy('apply')).toMatchObject({
    push: { branches: ['main'] },
    workflow_dispatch: { inputs: { 'weaker-policy': { type: 'boolean' } } }
  })
  for (const name of ['reconcile', 'revert', 'adopt']) {
    expect(Object.keys(startedBy(name))).toEqual(['workflow_dispatch'])
  }
})

it('no free text of a dispatch is an option, as it could name another service or command', () => {
  for (const name of ['reconcile', 'revert', 'adopt', 'scheduled']) {
    const { on, jobs }: Workflow = parse(read(`examples/github/.github/workflows/${name}.yml`))
    const dispatch = on['workflow_dispatch'] as { inputs?: Record<string, { type: string }> } | null
    for (const [key, text] of Object.entries(jobs['wlans']?.with ?? {})) {
      const used = [...String(text).matchAll(/\binputs\.([\w-]+)/g)].map(([, input = '']) => input)
      const types = used.map(input => dispatch?.inputs?.[input]?.type)
      expect(types.filter(type => type !== 'boolean' && key.includes('options'))).toEqual([])
    }
  }
})

it('the README shows the first example', () => {
  expect(read('examples/github/README.md')).toContain(
    read('examples/github/.github/workflows/plan.yml')
  )
})

it('the README names existing inputs, and all of them except names', () => {
  const documented = new Map<string, Set<string>>()
  const rows = read('examples/github/README.md').matchAll(/^\| (`[a-z`, -]+`) +\| ([^|]+?) +\|/gm)
  for (const [, inputs = '', workflows = ''] of rows) {
    for (const [, input = ''] of inputs.matchAll(/`([a-z-]+)`/g)) {
      documented.set(
        input,
        new Set([...workflows.matchAll(/`(\w+)\.yml`/g)].map(([, name = '']) => name))
      )
    }
  }
  const names = ['plan', 'apply', 'drift', 'reconcile', 'revert', 'adopt', 'scheduled']
  const existing = (input: string) =>
    names.filter(name => input in (workflow(name).on.workflow_call?.inputs ?? {}))
  for (const [input, workflows] of documented) {
    for (const name of workflows) if (names.includes(name)) expect(existing(input)).toContain(name)
    expect(existing(input)).not.toEqual([])
  }
  const known = new Set([...documented.keys(), 'base-url', 'fleet', 'name', 'environment', 'run'])
  const others = ['require-plan', 'labels', 'assignees', 'webhook-form']
  const undocumented = names
    .flatMap(name => Object.keys(workflow(name).on.workflow_call?.inputs ?? {}))
    .filter(input => !known.has(input))
  expect([...new Set(undocumented)].sort()).toEqual(others.sort())
  for (const input of others) expect(read('examples/github/README.md')).toContain(`\`${input}`)
})

/** A dozen runs of the program, each in its own process. */
const long = { timeout: 120_000 }

describe('examples/github with separate actions', long, () => {
  const { permissions, jobs }: Workflow = parse(read('examples/github/.github/workflows/parts.yml'))
  const { part, whole } = jobs
  const script = (job: Job | undefined, name: string) =>
    (job?.steps?.find(step => step.name === name)?.run ?? '').replaceAll(
      /"\$RUNNER_TEMP\/wlanctl\/[^"]+"/g,
      '"$PROGRAM"'
    )

  it('uses the actions of the workflows, in this version', () => {
    const known = filesIn('.github/workflows', /\.yml$/)
      .map(read)
      .join('\n')
    const pins = read('examples/github/.github/workflows/parts.yml').match(/(?<=uses: ).*/g) ?? []
    const own = `example/wlanctl/.github/actions/wlanctl@${'0'.repeat(40)} # v${packageJson.version}`
    for (const pin of pins) if (pin !== own) expect(known).toContain(`uses: ${pin}`)
    expect(pins).toContain(own)
  })

  it('passes the token to the step that reads, and grants no permission to the merge step', () => {
    expect([permissions, part?.permissions, whole?.permissions]).toEqual([
      {},
      { contents: 'read' },
      {}
    ])
    const steps = [...(part?.steps ?? []), ...(whole?.steps ?? [])]
    const given = steps.filter(step => JSON.stringify(step).includes('secrets.'))
    expect(given.map(({ name }) => name)).toEqual(['Plan'])
  })

  it('plans each site once, and merges the shards to the plan of one run', async () => {
    const { cwd, run, simulator } = await example('retail')
    const parts: readonly number[] = part?.strategy?.matrix['part'] as number[]
    mkdirSync(join(cwd, 'parts'))
    for (const number of parts) {
      const env = {
        PART: String(number),
        PARTS: String(parts.length),
        RUNNER_TEMP: join(cwd, 'parts')
      }
      expect(await run(script(part, 'Plan'), { PROGRAM, ...env })).toMatchObject({ code: 0 })
    }
    expect(simulator.requests).toHaveLength(30)
    const env = { PROGRAM, RUNNER_TEMP: cwd, GITHUB_STEP_SUMMARY: join(cwd, 'summary.md') }
    expect(await run(script(whole, 'Merge'), env)).toMatchObject({ code: 0 })
    expect(await run(script(whole, 'Summary'), env)).toMatchObject({ code: 0 })
    expect(readFileSync(join(cwd, 'summary.md'), 'utf8')).toContain('WLANs to change')
    await run('exec node "$PROGRAM" plan . --out one.json', { PROGRAM })
    const [merged, one] = ['plan.json', 'one.json'].map(file =>
      JSON.parse(readFileSync(join(cwd, file), 'utf8'))
    )
    expect({ ...merged, created: '' }).toEqual({ ...one, created: '' })
    rmSync(join(cwd, 'parts/part-3.json'))
    expect(await run(script(whole, 'Merge'), env)).toMatchObject({ code: 3 })
  })
})

describe('examples/kubernetes', long, () => {
  const files = ['drift', 'apply'].map(name => `examples/kubernetes/${name}.yaml`)
  const documents = files.flatMap(file => parseAllDocuments(read(file)))
  const objects = documents.map(document => document.toJS())
  const jobs = objects
    .filter(({ kind }) => kind === 'CronJob')
    .map(({ spec }) => spec.jobTemplate.spec)
  const [job] = jobs
  const [container, merging, applying] = jobs.map(({ template }) => template.spec.containers[0])
  const parts: string = container.env.find(({ name }: { name: string }) => name === 'PARTS').value
  const shell = ({ command }: { command: readonly string[] }, cwd: string) => {
    expect(command.slice(0, 2)).toEqual(['bash', '-euc'])
    const script =
      command[2]?.replace('wlanctl ', `node ${PROGRAM} `).replace('/fleet/checkout', '.') ?? ''
    return script.replaceAll(/\/(parts|records)(?=[/ ])/g, `${cwd}/$1`)
  }

  /** The retail fleet, read in shards on `day`; its reports are in `parts/DAY`. */
  async function retail() {
    const made = await example('retail')
    const { cwd, run } = made
    mkdirSync(join(cwd, 'parts'))
    const date = join(cwd, 'bin/date')
    mkdirSync(join(cwd, 'bin'))
    const on = (day: string) => ({ PATH: `${join(cwd, 'bin')}:${process.env['PATH']}`, DAY: day })
    writeFileSync(date, '#!/bin/sh\necho "$DAY"\n', { mode: 0o755 })
    const check = (index: number, day: string) =>
      run(shell(container, cwd), { ...on(day), PARTS: parts, JOB_COMPLETION_INDEX: String(index) })
    return {
      ...made,
      check,
      merge: (day: string) => run(shell(merging, cwd), on(day)),
      report: (day: string, name: string) => readFileSync(join(cwd, 'parts', day, name), 'utf8')
    }
  }

  it('is valid YAML with one shard per index, and an image of this version', () => {
    expect(documents.flatMap(({ errors }) => errors)).toEqual([])
    expect(parts).toBe(String(job.completions))
    const images = files.flatMap(file => read(file).match(/image: .*/g) ?? [])
    expect(new Set(images)).toEqual(
      new Set([`image: registry.example.com/wlanctl:${packageJson.version}`])
    )
    expect(read('examples/kubernetes/Dockerfile')).toContain(`.git#v${packageJson.version}\n`)
  })

  it('reads each site of the retail example once, in shards, and merges one report', async () => {
    const { simulator, check, merge, report } = await retail()
    const day = '2026-11-21'
    for (let index = 0; index < job.completions; index++) {
      expect(await check(index, day)).toMatchObject({ code: 0 })
      const isLast = index === job.completions - 1
      expect(await merge(day)).toMatchObject({ code: isLast ? 2 : 3 })
    }
    const paths = simulator.requests.map(({ path }) => path)
    expect(paths).toHaveLength(30)
    expect(new Set(paths).size).toBe(30)
    const { code, stdout } = await merge(day)
    expect({ code, stdout }).toEqual({ code: 2, stdout: expect.stringContaining('on 30 sites') })
    expect(stdout).toMatch(/^Drift/m)
    expect(report(day, 'whole.html')).toContain('<html')
    expect(report(day, 'wlanctl.prom')).toContain('wlanctl_')
  })

  it('dates each difference by the reports of the previous days', async () => {
    const { check, merge, report } = await retail()
    for (const day of ['2026-11-20', '2026-11-21']) {
      for (let index = 0; index < job.completions; index++) await check(index, day)
      expect(await merge(day)).toMatchObject({ code: 2 })
    }
    const [first, second] = ['2026-11-20', '2026-11-21'].map(day =>
      JSON.parse(report(day, 'whole.json'))
    )
    expect(first.since).toBeUndefined()
    expect(second.since).toEqual({ created: first.created, new_fields: 0 })
  })

  it('applies due changes, or all if its file says so, and keeps one record', async () => {
    const { cwd, run, simulator } = await example('github')
    mkdirSync(join(cwd, 'records'))
    const { value } = applying.env.find(({ name }: { name: string }) => name === 'SENDS')
    expect(value).toBe('due')
    const env = { WLAN_SECRET_GUEST_PSK: 'welcome-to-the-lobby' }
    const apply = (SENDS: string) => run(shell(applying, cwd), { ...env, SENDS })
    for (const _ of ['first', 'second']) expect(await apply('due')).toMatchObject({ code: 0 })
    expect(simulator.requests).toEqual([])
    expect(await apply('everything')).toMatchObject({ code: 0 })
    expect(simulator.history.length).toBeGreaterThan(0)
    const sent = simulator.history.length
    expect(await apply('due')).toMatchObject({ code: 0 })
    expect(simulator.history).toHaveLength(sent)
    const [month = '', ...others] = readdirSync(join(cwd, 'records'))
    expect(others).toEqual([])
    const record = readFileSync(join(cwd, 'records', month, 'record.jsonl'), 'utf8')
    expect(record.match(/"step":"begin"/g)).toHaveLength(4)
    expect(record).toContain('"applied"')
  })

  it('passes the write token and the secrets to apply alone', () => {
    const holders = (name: string) =>
      objects
        .filter(each => JSON.stringify(each).includes(`"name":"${name}"`))
        .map(each => each.metadata.name)
    expect(holders('wlanctl-write')).toEqual(['wlanctl-apply'])
    expect(holders('wlanctl-secrets')).toEqual(['wlanctl-apply'])
  })
})
