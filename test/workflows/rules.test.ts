import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { filesIn, type Job, read, type Step, workflow, workflowIn } from './fake/workflow.ts'

const FILE = 'examples/github/.github/workflows/wlanctl.yml'
const PIPELINE = 'examples/gitlab/.gitlab/wlanctl.yml'
const text = read(FILE)
const example = workflowIn(FILE)
const jobs: [id: string, job: Job][] = Object.entries(example.jobs)
const pipeline = parse(read(PIPELINE))

const stepsOf = ({ steps = [] }: Job): readonly Step[] => steps
const job = (id: string) => example.jobs[id] ?? {}

/** The ids of the jobs whose text matches. */
const holding = (pattern: RegExp) =>
  jobs.filter(([, each]) => pattern.test(JSON.stringify(each))).map(([id]) => id)

/** The jobs of the pipeline, each with what it extends. */
const ownJobs: [name: string, job: Record<string, unknown>][] = Object.entries<
  Record<string, unknown>
>(pipeline)
  .filter(([name]) => !name.startsWith('.'))
  .map(([name, own]) => [name, { ...(own['extends'] ? pipeline['.wlanctl'] : {}), ...own }])
const pipelineHolding = (pattern: RegExp) =>
  ownJobs.filter(([, each]) => pattern.test(JSON.stringify(each))).map(([name]) => name)

describe('the files that `init` writes', () => {
  it('are one for each forge, which a person reads in five minutes', () => {
    expect(filesIn('examples/github/.github/workflows', /./)).toEqual([FILE])
    for (const file of [FILE, PIPELINE]) expect(read(file).split('\n').length).toBeLessThan(182)
    expect(parse(read('examples/gitlab/.gitlab-ci.yml'))).toEqual({
      include: [{ local: '.gitlab/wlanctl.yml' }]
    })
  })

  it('have no key that older servers refuse', () => {
    expect(text).not.toMatch(/\bqueue:|\bdeployment:/)
  })
})

describe('the workflow', () => {
  const reading = { contents: 'read', actions: 'read' }

  // The forge of test/ci gives its jobs these permissions.
  it.each([
    ['plan', { contents: 'read' }],
    ['check', { contents: 'read' }],
    ['apply', { ...reading, 'pull-requests': 'read' }],
    ['drift', reading],
    ['proposal', { contents: 'read' }],
    ['gate', undefined],
    ['reconcile', reading],
    ['report', { ...reading, 'pull-requests': 'write', issues: 'write' }]
  ])('gives the job %s no more than %j', (id, permissions) => {
    expect(example.permissions).toEqual({})
    expect(job(id).permissions).toEqual(permissions)
  })

  it('runs for no event that gives a fork secrets, and for each edit of a pull request', () => {
    expect(Object.keys(example.on)).toEqual([
      ...['pull_request', 'merge_group', 'push', 'schedule', 'workflow_dispatch']
    ])
    expect(example.on['pull_request']).toMatchObject({ types: expect.arrayContaining(['edited']) })
  })

  it.each([
    ['wlan', /secrets\.WLANCTL_(?:API_TOKEN|SECRETS)\b/, ['apply', 'reconcile']],
    ['wlan-manual', /wlan-manual/, ['gate']]
  ])('enters the environment %s for what only it has', (environment, pattern, ids) => {
    const inside = jobs.filter(([, each]) => each.environment === environment)
    expect(inside.map(([id]) => id)).toEqual(ids)
    expect(holding(pattern)).toEqual(ids)
  })

  it('sends one after the other, outside of the gate', () => {
    const line = { group: 'wlanctl-apply-fleet', 'cancel-in-progress': false }
    for (const id of ['apply', 'reconcile']) expect(job(id).concurrency).toEqual(line)
    expect(job('gate').concurrency).toBeUndefined()
    expect([job('apply').needs, job('reconcile').needs]).toEqual(['gate', ['proposal', 'gate']])
  })

  it('gives the token that reads to the jobs that read, and none to the report', () => {
    expect(holding(/secrets\.WLANCTL_READ_TOKEN/)).toEqual(['plan', 'drift', 'proposal'])
    expect(JSON.stringify(job('report'))).not.toContain('secrets.')
    expect(JSON.stringify(job('check'))).not.toMatch(/secrets\.|github\.token/)
  })

  it.each(jobs.filter(([id]) => id !== 'gate'))(
    '%s installs the tool outside of the checkout, and leaves no credentials behind',
    (_, each) => {
      const [first, install] = stepsOf(each)
      expect(first).toMatchObject({
        uses: expect.stringMatching(/^actions\/checkout@/),
        with: { 'persist-credentials': false, 'fetch-depth': 0 }
      })
      expect(install?.run).toBe('eval "$INSTALL"')
      const own = each === job('check')
      expect(install?.env).toEqual(own ? { ALLOW_OWN: '1' } : undefined)
    }
  )

  it('has no expression in a script, which it could change', () => {
    for (const [, each] of jobs)
      for (const { run = '' } of stepsOf(each)) expect(run).not.toContain('${{')
  })

  it('uses actions of GitHub only, each at the commit that this repository uses', () => {
    const known = ['ci', 'release'].map(name => read(`.github/workflows/${name}.yml`)).join('\n')
    const pins = text.match(/(?<=uses: )\S.*/g) ?? []
    expect(new Set(pins).size).toBe(3)
    for (const pin of pins) {
      expect(pin).toMatch(/^actions\/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
      if (!/artifact/.test(pin)) expect(known).toContain(pin)
    }
  })

  it('stores results under the names by which the commands find them, and downloads with a token', () => {
    const names = text.match(/(?<=name: ")wlanctl-\w+-fleet-[^"]+/g) ?? []
    const attempt = `-fleet-$\{{ github.run_attempt }}`
    const kinds = ['plan', 'apply', 'drift', 'proposal', 'reconcile']
    expect(names).toEqual(kinds.map(kind => `wlanctl-${kind}${attempt}`))
    const downloads = jobs.flatMap(([, each]) =>
      stepsOf(each).filter(({ uses }) => uses?.startsWith('actions/download-artifact@'))
    )
    expect(downloads).toHaveLength(2)
    for (const { with: options } of downloads) {
      expect(options).toMatchObject({
        'run-id': `$\{{ github.run_id }}`,
        'github-token': `$\{{ github.token }}`
      })
    }
  })

  it('gives the program the time limit of its job', () => {
    const { env } = stepsOf(job('apply')).find(({ name }) => name === 'Apply') ?? {}
    expect(env?.['WLANCTL_MAX_MINUTES']).toBe(String(job('apply')['timeout-minutes']))
  })
})

describe('the pipeline', () => {
  it.each([
    ['wlanctl-plan', 'wlanctl-plan-fleet-$CI_JOB_ID', '90 days'],
    ['wlanctl-apply', 'wlanctl-apply-fleet-$CI_JOB_ID', undefined],
    ['wlanctl-drift', 'wlanctl-drift-fleet-$CI_JOB_ID', undefined]
  ])(
    '%s stores its results under the name by which the commands find them',
    (id, name, expires) => {
      expect(pipeline[id].artifacts).toMatchObject({ name, ...(expires && { expire_in: expires }) })
      expect(pipeline['.wlanctl'].artifacts).toMatchObject({ when: 'always', expire_in: '30 days' })
    }
  )

  it('sends from the default branch, in an environment, one job after the other', () => {
    const sending = ['wlanctl-apply', 'wlanctl-reconcile']
    expect(pipelineHolding(/WLANCTL_WRITE_TOKEN|WLANCTL_SECRETS\b/)).toEqual(sending)
    for (const id of sending) {
      expect(pipeline[id]).toMatchObject({
        resource_group: 'wlanctl-fleet',
        interruptible: false,
        environment: { name: 'wlan', action: 'access' }
      })
    }
    const ofBranch = pipelineHolding(/"when":"manual"|WLANCTL_WRITE_TOKEN|"drift"|reconcile/)
    for (const id of ofBranch)
      for (const rule of pipeline[id].rules)
        if (!/merge_request_event/.test(rule.if))
          expect(rule.if, id).toContain('$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH')
  })

  it('has the gate of a person outside of that line', () => {
    const gate = pipeline['wlanctl-gate']
    expect(gate).toMatchObject({ environment: 'wlan-manual' })
    expect(gate.rules).toMatchObject([{ when: 'manual', allow_failure: false }])
    expect(gate).not.toHaveProperty('resource_group')
    for (const id of ['wlanctl-apply', 'wlanctl-reconcile'])
      expect(JSON.stringify(pipeline[id].needs)).toContain('wlanctl-gate')
  })

  it('installs the tool outside of the checkout, as the default branch pins it', () => {
    const lines = pipeline['.wlanctl'].before_script.join('\n')
    expect(lines).toContain('git archive "$pinned:.gitlab/wlanctl" package.json package-lock.json')
    expect(lines).toContain('(cd "$CI_PROJECT_DIR.tmp/wlanctl" && npm ci --ignore-scripts')
    expect(pipelineHolding(/"ALLOW_OWN"/)).toEqual(['wlanctl-check'])
    expect(pipeline['wlanctl-check'].script[0]).toMatch(/^unset .*READ_TOKEN.*FORGE_TOKEN/)
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
