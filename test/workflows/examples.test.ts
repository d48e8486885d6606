import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import packageJson from '../../package.json' with { type: 'json' }
import { readSeed } from '../../src/simulator/fleet/seed.ts'
import { simulate } from '../simulator/simulate.ts'
import { git, repository } from '../support/git.ts'
import { folder, PROGRAM, ROOT, startCommand } from '../support/program.ts'
import { filesIn, type Job, read, type Workflow, workflow } from './fake/workflow.ts'

const installed = '/opt/wlanctl/node_modules/wlanctl/dist/wlanctl.js'

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

  describe.each(['plan', 'apply', 'drift', 'scheduled'])('%s.yml', name => {
    const called = workflow(name)
    const job = caller(name).jobs['wlans']
    const [uses = '', version = ''] =
      /uses: (.*)$/m
        .exec(read(`examples/github/.github/workflows/${name}.yml`))?.[1]
        ?.split(' # ') ?? []

    it('calls the workflow of this version by a commit', () => {
      expect(uses).toMatch(new RegExp(`/wlanctl/\\.github/workflows/${name}\\.yml@[0-9a-f]{40}$`))
      expect(version).toBe(`v${packageJson.version}`)
    })

    it('gives as many permissions as the called jobs need, and no more', () => {
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

    it('gives the inputs and secrets that there are', () => {
      const { inputs = {}, secrets = {} } = called.on.workflow_call ?? {}
      expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(job?.with ?? {})))
      const given = job?.secrets ?? {}
      if (typeof given === 'string')
        expect([['apply', 'scheduled'].includes(name), given]).toEqual([true, 'inherit'])
      else expect(Object.keys(given)).toEqual(Object.keys(secrets))
    })
  })
})

it('what is given the secrets of the environment never runs for a pull request', () => {
  const { on } = parse(read('examples/github/.github/workflows/apply.yml'))
  expect(on).toEqual({ push: { branches: ['main'] }, workflow_dispatch: null })
})

it('their README shows the first of them', () => {
  expect(read('examples/github/README.md')).toContain(
    read('examples/github/.github/workflows/plan.yml')
  )
})

describe('examples/gitlab', () => {
  type GitLabJob = { readonly script: string[]; readonly variables?: Record<string, string> }
  const jobs: Record<string, GitLabJob> = parse(read('examples/gitlab/.gitlab-ci.yml'))
  const script = (name: string) => jobs[name]?.script.join('\n') ?? ''

  it('validates, plans, applies and finds no drift', async () => {
    const { run, simulator } = await example('github')
    const results = folder()
    const program = { WLANCTL: PROGRAM, RESULTS: results }
    const env = { ...program, WLAN_SECRET_GUEST_PSK: 'welcome-to-the-lobby' }
    expect(await run(script('validate'), env)).toMatchObject({ code: 0 })
    expect(await run(script('plan'), program)).toMatchObject({ code: 0 })
    expect(await run(script('drift'), env)).toMatchObject({ code: 2 })
    expect(simulator.history).toEqual([])
    expect(await run(script('apply'), env)).toMatchObject({ code: 0 })
    expect(await run(script('drift'), env)).toMatchObject({ code: 0 })
    for (const file of [
      'plan.json',
      'plan.md',
      'plan.html',
      'drift.html',
      'record.jsonl',
      'outcome.md',
      'drift.xml'
    ]) {
      expect(readFileSync(join(results, file), 'utf8')).not.toBe('')
    }
  })

  it.each([
    ['plan', 'CI_MERGE_REQUEST_DIFF_BASE_SHA', 'plan.md'],
    ['apply', 'CI_COMMIT_BEFORE_SHA', 'outcome.md']
  ])('%s compares the files with %s', async (name, variable, report) => {
    const { cwd, run } = await example('github')
    const RESULTS = folder()
    const env = { WLANCTL: PROGRAM, RESULTS, WLAN_SECRET_GUEST_PSK: 'welcome-to-the-lobby' }
    const sites = join(cwd, 'sites/gone.yaml')
    const id = '10000000-0000-4000-8000-000000000099'
    writeFileSync(sites, `site: { id: ${id}, name: gone }\nwlans: { w: { ssid: W } }\n`)
    repository(cwd)
    const base = git(cwd, 'rev-parse', 'HEAD')
    rmSync(sites)
    for (const [value, isCompared] of [
      ['0'.repeat(40), false],
      [base, true]
    ] as const) {
      if (name === 'plan' && !isCompared) continue
      const { code } = await run(script(name), { ...env, [variable]: value })
      expect(code).toBe(0)
      const text = readFileSync(join(RESULTS, report), 'utf8')
      expect(text.includes('NO_LONGER_DECLARED')).toBe(isCompared)
    }
  })

  it('installs this version, and gives a token that can write to one job', () => {
    expect(jobs['variables']).toMatchObject({
      WLANCTL_VERSION: packageJson.version,
      WLANCTL: installed
    })
    const writers = Object.entries(jobs).filter(([, { variables = {} }]) =>
      Object.values(variables).includes('$WLANCTL_WRITE_TOKEN')
    )
    expect(writers.map(([name]) => name)).toEqual(['apply'])
  })
})

describe('examples/github, in parts', () => {
  const { permissions, jobs }: Workflow = parse(read('examples/github/.github/workflows/parts.yml'))
  const { part, whole } = jobs
  const script = (job: Job | undefined, name: string) =>
    (job?.steps?.find(step => step.name === name)?.run ?? '').replaceAll(
      /"\$RUNNER_TEMP\/wlanctl\/[^"]+"/g,
      '"$PROGRAM"'
    )

  it('uses the actions that the workflows use, and this version', () => {
    const known = filesIn('.github/workflows', /\.yml$/)
      .map(read)
      .join('\n')
    const pins = read('examples/github/.github/workflows/parts.yml').match(/(?<=uses: ).*/g) ?? []
    const own = `example/wlanctl/.github/actions/wlanctl@${'0'.repeat(40)} # v${packageJson.version}`
    for (const pin of pins) if (pin !== own) expect(known).toContain(`uses: ${pin}`)
    expect(pins).toContain(own)
  })

  it('gives the token to the step that reads, and no permission to what merges', () => {
    expect([permissions, part?.permissions, whole?.permissions]).toEqual([
      {},
      { contents: 'read' },
      {}
    ])
    const steps = [...(part?.steps ?? []), ...(whole?.steps ?? [])]
    const given = steps.filter(step => JSON.stringify(step).includes('secrets.'))
    expect(given.map(({ name }) => name)).toEqual(['Plan'])
  })

  it('plans each site once, and makes the plan of one run of it', async () => {
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

describe('examples/kubernetes', () => {
  const documents = parseAllDocuments(read('examples/kubernetes/drift.yaml'))
  const jobs = documents
    .map(document => document.toJS())
    .filter(({ kind }) => kind === 'CronJob')
    .map(({ spec }) => spec.jobTemplate.spec)
  const [job] = jobs
  const [container, merging] = jobs.map(({ template }) => template.spec.containers[0])
  const parts: string = container.env.find(({ name }: { name: string }) => name === 'PARTS').value
  const shell = ({ command }: { command: readonly string[] }, cwd: string) => {
    expect(command.slice(0, 2)).toEqual(['bash', '-euc'])
    return command[2]
      ?.replace(installed, PROGRAM)
      .replace('/fleet/checkout', '.')
      .replaceAll('/parts/', `${cwd}/parts/`)
  }

  it('is YAML without errors, and has a part for each index', () => {
    expect(documents.flatMap(({ errors }) => errors)).toEqual([])
    expect(parts).toBe(String(job.completions))
    for (const each of jobs) {
      expect(JSON.stringify(each)).toContain(`wlanctl@${packageJson.version}`)
    }
  })

  it('reads each site of the retail example once, in parts, and makes one report of them', async () => {
    const { cwd, run, simulator } = await example('retail')
    const merge = shell(merging, cwd) ?? ''
    for (let index = 0; index < job.completions; index++) {
      const env = { PARTS: parts, JOB_COMPLETION_INDEX: String(index) }
      const { code } = await run(shell(container, cwd) ?? '', env)
      expect({ index, code }).toEqual({ index, code: 2 })
      const isLast = index === job.completions - 1
      expect(await run(merge)).toMatchObject({ code: isLast ? 0 : 3 })
    }
    const paths = simulator.requests.map(({ path }) => path)
    expect(paths).toHaveLength(30)
    expect(new Set(paths).size).toBe(30)
    const { code, stdout } = await run(merge)
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('on 30 sites') })
  })
})
