import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import packageJson from '../../package.json' with { type: 'json' }
import { readSeed } from '../../src/simulator/fleet/seed.ts'
import { simulate } from '../simulator/simulate.ts'
import { folder, PROGRAM, ROOT, startCommand } from '../support/program.ts'
import { read, type Workflow, workflow } from './fake/workflow.ts'

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

  describe.each(['plan', 'apply', 'drift'])('%s.yml', name => {
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
      if (typeof given === 'string') expect([name, given]).toEqual(['apply', 'inherit'])
      else expect(Object.keys(given)).toEqual(Object.keys(secrets))
    })
  })
})

it('what is given the secrets of the environment never runs for a pull request', () => {
  const { on } = parse(read('examples/github/.github/workflows/apply.yml'))
  expect(on).toEqual({ push: { branches: ['main'] }, workflow_dispatch: null })
})

it('the README shows the first of them', () => {
  expect(read('README.md')).toContain(read('examples/github/.github/workflows/plan.yml'))
})

describe('examples/gitlab', () => {
  type GitLabJob = { readonly script: string[]; readonly variables?: Record<string, string> }
  const jobs: Record<string, GitLabJob> = parse(read('examples/gitlab/.gitlab-ci.yml'))
  const script = (name: string) => jobs[name]?.script.join('\n') ?? ''

  it('validates, plans, applies and finds no drift', async () => {
    const { cwd, run, simulator } = await example('github')
    const env = { WLANCTL: PROGRAM, WLAN_SECRET_GUEST_PSK: 'welcome-to-the-lobby' }
    expect(await run(script('validate'), env)).toMatchObject({ code: 0 })
    expect(await run(script('plan'), { WLANCTL: PROGRAM })).toMatchObject({ code: 0 })
    expect(await run(script('drift'), env)).toMatchObject({ code: 2 })
    expect(simulator.history).toEqual([])
    expect(await run(script('apply'), env)).toMatchObject({ code: 0 })
    expect(await run(script('drift'), env)).toMatchObject({ code: 0 })
    for (const file of ['plan.json', 'plan.md', 'record.jsonl', 'outcome.md', 'drift.xml']) {
      expect(readFileSync(join(cwd, file), 'utf8')).not.toBe('')
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

describe('examples/kubernetes', () => {
  const documents = parseAllDocuments(read('examples/kubernetes/drift.yaml'))
  const [, cron] = documents.map(document => document.toJS())
  const job = cron.spec.jobTemplate.spec
  const [container] = job.template.spec.containers
  const parts: string = container.env.find(({ name }: { name: string }) => name === 'PARTS').value

  it('is YAML without errors, and has a part for each index', () => {
    expect(documents.flatMap(({ errors }) => errors)).toEqual([])
    expect(parts).toBe(String(job.completions))
    expect(JSON.stringify(job)).toContain(`wlanctl@${packageJson.version}`)
  })

  it('reads each site of the retail example once, in parts', async () => {
    const { run, simulator } = await example('retail')
    const [shell, options, script] = container.command
    expect([shell, options]).toEqual(['bash', '-euc'])
    for (let index = 0; index < job.completions; index++) {
      const { code } = await run(
        script.replace(installed, PROGRAM).replace('/fleet/checkout', '.'),
        { PARTS: parts, JOB_COMPLETION_INDEX: String(index) }
      )
      expect({ index, code }).toEqual({ index, code: 2 })
    }
    const paths = simulator.requests.map(({ path }) => path)
    expect(paths).toHaveLength(30)
    expect(new Set(paths).size).toBe(30)
  })
})
