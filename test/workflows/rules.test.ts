import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { filesIn, type Job, read, type Step, type Workflow, workflow } from './fake/workflow.ts'

const FOLDER = 'examples/github/.github/workflows'
const NAMES = ['apply', 'drift', 'plan', 'report']

const example = (name: string): Workflow => parse(read(`${FOLDER}/${name}.yml`))

interface NamedJob {
  readonly id: string
  readonly job: Job
}

const jobs: readonly NamedJob[] = NAMES.flatMap(name =>
  Object.entries(example(name).jobs).map(([id, job]) => ({ id: `${name}.yml: ${id}`, job }))
)
const withSteps = jobs.filter(({ job }) => job.steps !== undefined)
const stepsOf = ({ job }: NamedJob): readonly Step[] => job.steps ?? []

/** The step of a job that runs wlanctl. */
const running = (each: NamedJob) => stepsOf(each).filter(({ run }) => run?.includes('.bin/wlanctl'))

/** True for a job that may send changes to the service. */
const sends = (each: NamedJob) => JSON.stringify(each).includes('secrets.WLANCTL_API_TOKEN')

describe('the workflows that `init` writes', () => {
  it('are these', () => {
    expect(filesIn(FOLDER, /\.yml$/)).toEqual(NAMES.map(name => `${FOLDER}/${name}.yml`))
  })

  it.each(NAMES)(
    '%s.yml starts without permissions, for events that give forks no secret',
    name => {
      const { on, permissions } = example(name)
      // A called workflow has those of the job that calls it.
      expect(permissions).toEqual(name === 'report' ? undefined : {})
      expect(Object.keys(on)).not.toContain('pull_request_target')
      expect(Object.keys(on)).not.toContain('workflow_run')
    }
  )

  it.each(withSteps.map(each => [each.id, each] as const))(
    '%s runs one command of an installed wlanctl',
    (_, each) => {
      const [step, ...others] = running(each)
      expect(others).toEqual([])
      expect(step?.run).toMatch(/"\$RUNNER_TEMP\/wlanctl\/node_modules\/\.bin\/wlanctl"/)
      expect(step?.run).toContain('--results "$RUNNER_TEMP/results"')
    }
  )

  it.each(withSteps.map(each => [each.id, each] as const))(
    '%s gives tokens and secrets to that command alone',
    (_, each) => {
      const [ours] = running(each)
      for (const step of stepsOf(each)) {
        if (step === ours) continue
        expect(JSON.stringify(step)).not.toMatch(/secrets\.|github\.token/)
      }
      expect(JSON.stringify({ ...each.job, steps: [] })).not.toContain('secrets.')
    }
  )

  it.each(withSteps.map(each => [each.id, each] as const))(
    '%s installs the tool outside of the checkout, as the default branch pins it',
    (_, each) => {
      const install = stepsOf(each).find(({ run }) => run?.includes('npm ci'))
      expect(install?.env).toEqual({
        BRANCH: `$\{{ github.event.repository.default_branch || github.ref_name }}`
      })
      const text = install?.run ?? ''
      expect(text).toMatch(/^mkdir "\$RUNNER_TEMP\/wlanctl"\ncd "\$RUNNER_TEMP\/wlanctl"\n/)
      expect(text).toContain('show "origin/$BRANCH:.github/wlanctl/$file"')
      expect(text).toContain('npm ci --ignore-scripts')
    }
  )

  it('have no expression in a script, which it could change', () => {
    for (const each of jobs)
      for (const { run = '' } of stepsOf(each)) expect(run).not.toContain('${{')
  })

  it('use actions of GitHub only, each at the commit that this repository uses', () => {
    const known = ['ci', 'release'].map(name => read(`.github/workflows/${name}.yml`)).join('\n')
    const pins = NAMES.flatMap(
      name => read(`${FOLDER}/${name}.yml`).match(/(?<=uses: )actions\/.*/g) ?? []
    )
    expect(new Set(pins).size).toBe(4)
    for (const pin of pins) {
      expect(pin).toMatch(/^actions\/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
      if (!/artifact/.test(pin)) expect(known).toContain(pin)
    }
    const others = jobs.flatMap(({ job }) => job.uses ?? [])
    expect(new Set(others)).toEqual(new Set(['./.github/workflows/report.yml']))
  })

  it('never leave the credentials of a checkout behind', () => {
    for (const each of withSteps) {
      const [first] = stepsOf(each)
      expect(first?.uses).toContain('actions/checkout@')
      expect(first?.with).toMatchObject({ 'persist-credentials': false })
    }
  })

  it('send one after the other, in an environment, and never for a pull request', () => {
    const sending = jobs.filter(sends)
    expect(sending.map(({ id }) => id)).toEqual(['apply.yml: apply'])
    for (const { job } of sending) {
      expect(job.environment).toEqual({ name: 'production', deployment: false })
      expect(job.concurrency).toEqual({
        group: 'wlanctl-apply-fleet',
        'cancel-in-progress': false,
        queue: 'max'
      })
    }
    expect(Object.keys(example('apply').on)).toEqual(['push'])
  })

  it('write on GitHub only without a token of the service, apart from deployments', () => {
    const writing = ({ job }: NamedJob) =>
      Object.entries(job.permissions ?? {}).filter(([, level]) => level === 'write')
    for (const each of jobs) {
      const hasToken = /secrets\.WLANCTL_(?:READ|API)_TOKEN/.test(JSON.stringify(each.job))
      if (!hasToken) continue
      expect(writing(each).map(([scope]) => scope)).toEqual(sends(each) ? ['deployments'] : [])
    }
    const reports = jobs.filter(({ job }) => job.uses !== undefined)
    expect(reports).toHaveLength(3)
    for (const { job } of reports) expect(job.secrets).toBeUndefined()
    expect(JSON.stringify(example('report'))).not.toMatch(/WLANCTL_\w*TOKEN|pull_request/)
  })

  it('store results under the names by which the commands find them', () => {
    const stored = withSteps.flatMap(each =>
      stepsOf(each).flatMap(step =>
        step.uses?.startsWith('actions/upload-artifact@') ? [[each.id, step.with?.['name']]] : []
      )
    )
    const attempt = `-$\{{ github.run_attempt }}`
    expect(Object.fromEntries(stored)).toEqual({
      'apply.yml: apply': `wlanctl-record-fleet${attempt}`,
      'drift.yml: drift': `wlanctl-drift-fleet${attempt}`,
      'plan.yml: plan': `wlanctl-plan-fleet${attempt}`
    })
  })
})

describe('the workflows of this repository', () => {
  it('are its own checks and its release', () => {
    expect(filesIn('.github/workflows', /./)).toEqual([
      '.github/workflows/ci.yml',
      '.github/workflows/release.yml'
    ])
    for (const name of ['ci', 'release']) expect(workflow(name).permissions).toEqual({})
  })
})

describe('the pipeline that `init` writes', () => {
  const pipeline = parse(read('examples/gitlab/.gitlab-ci.yml'))

  it('has a job for each command, with the names of its results', () => {
    const names: Readonly<Record<string, string>> = {
      plan: 'plan',
      drift: 'drift',
      apply: 'record'
    }
    for (const [job, name] of Object.entries(names)) {
      const { artifacts } = { ...pipeline[pipeline[job].extends], ...pipeline[job] }
      expect(artifacts.name, job).toBe(`wlanctl-${name}-fleet-$CI_JOB_ID`)
    }
    const commands =
      read('examples/gitlab/.gitlab-ci.yml').match(/(?<=\bci )(?:report )?\w+/g) ?? []
    expect([...new Set(commands)].sort()).toEqual([
      'apply',
      'drift',
      'plan',
      'report apply',
      'report drift',
      'report plan'
    ])
  })

  it('sends in an environment without a deployment of its own, one job after the other', () => {
    const { environment, resource_group: group, interruptible } = pipeline.apply
    expect({ environment, group, interruptible }).toEqual({
      environment: { name: 'production', action: 'access' },
      group: 'wlanctl-fleet',
      interruptible: false
    })
    const holders = Object.keys(pipeline).filter(name =>
      JSON.stringify(pipeline[name]).includes('WLANCTL_WRITE_TOKEN')
    )
    expect(holders).toEqual(['apply'])
    for (const rule of pipeline.apply.rules) {
      expect(rule.if).toContain('$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH')
    }
  })

  it('installs the tool outside of the checkout, as the default branch pins it', () => {
    const lines: string[] = pipeline['.wlanctl'].before_script
    expect(lines.join('\n')).toContain('show "FETCH_HEAD:.gitlab/wlanctl/$file"')
    expect(lines.indexOf('npm ci --ignore-scripts --no-fund')).toBe(
      lines.indexOf('cd "$CI_PROJECT_DIR.tmp/wlanctl"') + 1
    )
  })
})
