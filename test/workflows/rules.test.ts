import { describe, expect, it } from 'vitest'
import { action, filesIn, type Job, read, type Step, workflow } from './fake/workflow.ts'

const names = filesIn('.github/workflows', /\.yml$/).map(file => file.replace(/.*\/|\.yml$/g, ''))
const jobs = names.flatMap(name =>
  Object.entries(workflow(name).jobs).map(([id, job]) => ({ name, id, job }))
)
const steps = [
  ...jobs.flatMap(({ name, id, job }) =>
    (job.steps ?? []).map((step, at) => ({ at: `${name}/${id}/${at}`, step }))
  ),
  ...action().runs.steps.map((step, at) => ({ at: `action/${at}`, step }))
]
const runs = steps.filter(({ step }) => step.run !== undefined)

/** The members of a context that a job uses, in its settings and in its steps. */
function namedBy(job: Job, context: string): string[] {
  const found = JSON.stringify(job).matchAll(new RegExp(`${context}(?:\\.(\\w+)|\\))`, 'g'))
  return [...new Set([...found].map(([, name = 'all']) => name))].sort()
}

const secretsOf = (job: Job) => namedBy(job, '(?<![\\w.])secrets')
const hasGitHubToken = (job: Job) => namedBy(job, 'github').includes('token')
const expression = (text: string) => `$\{{ ${text} }}`
const isCheckout = ({ uses = '' }: Step) => uses.startsWith('actions/checkout@')

/** Every used action with its releases by commit, as several repositories pin them. */
const releases = {
  'actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1': 'v7.0.1',
  'actions/setup-node@820762786026740c76f36085b0efc47a31fe5020': 'v7.0.0',
  'actions/upload-artifact@bbbca2ddaa5d8feaa63e36b76fdaad77386f024f': 'v7.0.0',
  'actions/download-artifact@3e5f45b2cfb9172054b4087a40e8e0b5a5461e7c': 'v8.0.1'
}

describe('every workflow', () => {
  it('is in the list', () => {
    expect(names).toEqual([
      'adopt',
      'apply',
      'ci',
      'drift',
      'plan',
      'reconcile',
      'release',
      'revert',
      'scheduled'
    ])
  })

  it.each(names)('%s grants permissions to its jobs alone', name => {
    expect(workflow(name).permissions).toEqual({})
  })

  it.each(names)('%s has no trigger that exposes secrets to pull requests from forks', name => {
    const { on } = workflow(name)
    expect(Object.keys(on)).not.toContain('pull_request_target')
    expect(Object.keys(on)).not.toContain('workflow_run')
  })

  it('uses released actions by commit, with the release in a comment', () => {
    const files = ['.github/workflows', '.github/actions', 'examples/elsewhere'].flatMap(at =>
      filesIn(at, /\.yml$/)
    )
    const used = files.flatMap(file => read(file).match(/(?<=uses: )(?!\.\/|example\/).*/g) ?? [])
    const pins = Object.entries(releases).map(([pin, release]) => `${pin} # ${release}`)
    expect([...new Set(used)].sort()).toEqual(pins.sort())
  })
})

describe('every job', () => {
  it.each(jobs)('$name/$id has a timeout and permissions', ({ job }) => {
    const limit = job['timeout-minutes']
    if (limit !== expression('inputs.timeout-minutes')) expect(limit).toBeGreaterThan(0)
    expect(Object.keys(job.permissions ?? {})).not.toEqual([])
  })

  it('has no more permissions than it needs', () => {
    const beyondReading = jobs.flatMap(({ name, id, job }) =>
      Object.entries(job.permissions ?? {})
        .filter(([, level]) => level !== 'read')
        .map(([scope]) => `${name}/${id} ${scope}`)
    )
    expect(beyondReading).toEqual([
      'adopt/pull-request contents',
      'adopt/pull-request pull-requests',
      'apply/comment pull-requests',
      'drift/issue issues',
      'plan/comment pull-requests',
      'release/publish id-token',
      'release/release contents',
      'scheduled/issue issues'
    ])
  })
})

describe('every step', () => {
  it.each(runs)('$at reads values from the environment, never from an expression', ({ step }) => {
    expect(step.run).not.toContain('${{')
  })

  it.each(runs.filter(({ at }) => !at.startsWith('ci/')))(
    '$at replaces its shell with the program, which then receives signals',
    ({ step }) => {
      expect(step.run?.trim()).toMatch(/^exec [^\n]+$/)
    }
  )

  it.each(steps.filter(({ step }) => isCheckout(step)))('$at stores no token', ({ step }) => {
    expect(step.with?.['persist-credentials']).toBe(false)
  })

  it('keeps stored files as long as the caller says, and built files for a few days', () => {
    const uploads = steps.filter(({ step }) => step.uses?.startsWith('actions/upload-artifact@'))
    const days = uploads.map(({ step }) => step.with?.['retention-days'])
    expect(new Set(days)).toEqual(new Set([7, expression('inputs.retention-days')]))
  })

  it('sets no environment variable for later steps', () => {
    const scripts = filesIn('.github', /\.(?:sh|yml)$/).map(read)
    expect(scripts.join('\n')).not.toMatch(/GITHUB_(?:ENV|PATH)|set-env|add-path|::set-output/)
  })
})

describe('concurrency', () => {
  const { plan, apply, drift, reconcile, revert, adopt, scheduled } = Object.fromEntries(
    names.map(name => [name, workflow(name)])
  )

  it('of plans: the latest run of each pull request', () => {
    expect(plan?.concurrency).toEqual({
      // Each attempt of the merge queue has its own ref.
      group: expect.stringMatching(/^wlanctl-plan-.*pull_request\.number \|\| github\.ref \}\}$/),
      'cancel-in-progress': true
    })
  })

  it.each([
    ['apply', () => apply?.jobs['apply']?.concurrency],
    ['apply', () => reconcile?.jobs['apply']?.concurrency],
    ['apply', () => revert?.jobs['revert']?.concurrency],
    ['apply', () => scheduled?.jobs['apply']?.concurrency],
    ['scheduled', () => scheduled?.concurrency],
    ['drift', () => drift?.concurrency],
    ['adopt', () => adopt?.concurrency]
  ])('of %s: one run after the other, none cancelled', (name, concurrency) => {
    expect(concurrency()).toEqual({
      group: `wlanctl-${name}-${expression('inputs.name')}`,
      'cancel-in-progress': false,
      ...(name === 'apply' && { queue: 'max' })
    })
  })
})

describe('secrets and permissions', () => {
  const { apply } = workflow('apply').jobs
  const table = jobs
    .filter(({ job }) => secretsOf(job).length > 0 || hasGitHubToken(job))
    .map(({ name, id, job }) => ({
      job: `${name}/${id}`,
      secrets: secretsOf(job),
      github: hasGitHubToken(job),
      environment: job.environment ?? ''
    }))

  it('of the service and of GitHub are never combined in a job that can write to GitHub', () => {
    expect(table).toEqual([
      { job: 'adopt/adopt', secrets: ['WLANCTL_READ_TOKEN'], github: false, environment: '' },
      { job: 'adopt/pull-request', secrets: [], github: true, environment: '' },
      {
        job: 'apply/apply',
        // All secrets, including those of WLANs: only the job of the protected environment.
        secrets: ['WEBHOOK_URL', 'WLANCTL_API_TOKEN', 'all'],
        github: true,
        environment: expression('inputs.environment')
      },
      { job: 'apply/comment', secrets: [], github: true, environment: '' },
      { job: 'drift/drift', secrets: ['WLANCTL_READ_TOKEN'], github: true, environment: '' },
      { job: 'drift/issue', secrets: ['WEBHOOK_URL'], github: true, environment: '' },
      { job: 'plan/plan', secrets: ['WLANCTL_READ_TOKEN'], github: false, environment: '' },
      { job: 'plan/plan-on-snapshot', secrets: [], github: true, environment: '' },
      { job: 'plan/comment', secrets: [], github: true, environment: '' },
      { job: 'reconcile/plan', secrets: ['WLANCTL_READ_TOKEN'], github: false, environment: '' },
      {
        job: 'reconcile/apply',
        secrets: ['WEBHOOK_URL', 'WLANCTL_API_TOKEN', 'all'],
        github: true,
        environment: expression('inputs.environment')
      },
      { job: 'release/release', secrets: [], github: true, environment: '' },
      { job: 'revert/plan', secrets: ['WLANCTL_READ_TOKEN'], github: true, environment: '' },
      {
        job: 'revert/revert',
        secrets: ['WEBHOOK_URL', 'WLANCTL_API_TOKEN'],
        github: false,
        environment: expression('inputs.environment')
      },
      {
        job: 'scheduled/apply',
        secrets: ['WLANCTL_API_TOKEN', 'all'],
        github: true,
        environment: expression('inputs.environment')
      },
      { job: 'scheduled/issue', secrets: ['WEBHOOK_URL'], github: true, environment: '' }
    ])
  })

  it.each(['apply', 'reconcile'])(
    'of the protected environment of %s.yml are passed to one step, and a URL to another one',
    name => {
      const given = workflow(name).jobs['apply']?.steps?.filter(step =>
        JSON.stringify(step).includes('secrets')
      )
      expect(given?.map(({ name, env }) => [name, env?.['SECRETS'] !== undefined])).toEqual([
        ['Apply', true],
        ['Post the result', false]
      ])
    }
  )

  it('with write access are never combined with a checkout of a pull request', () => {
    for (const { job } of jobs.filter(
      ({ job }) => job.permissions?.['pull-requests'] === 'write'
    )) {
      const paths = job.steps?.filter(isCheckout).map(step => step.with?.['path'])
      expect(paths).toEqual(['wlanctl'])
    }
  })

  it('are never passed to a pull request from a fork, whatever its workflow says', () => {
    const { plan, 'plan-on-snapshot': other } = workflow('plan').jobs
    expect(plan?.if).toContain('head.repo.full_name == github.repository')
    expect(other?.if).toBe(`!(${plan?.if})`)
    expect(JSON.stringify(other)).not.toContain('secrets')
  })

  it.each(['reconcile', 'revert', 'adopt'])('of %s.yml are limited to the default branch', name => {
    const [first, second] = Object.values(workflow(name).jobs)
    expect(first?.if).toBe(apply?.if)
    // The reviewer who approves the second job has seen the output of the first.
    expect(second?.if).toMatch(/^\$\{\{ !cancelled\(\) && needs\.\w+\.outputs\.\w+ > 0 \}\}$/)
    expect([first?.environment, second?.needs]).toEqual([
      undefined,
      Object.keys(workflow(name).jobs)[0]
    ])
  })

  it('of an apply are bound to the default branch and an environment that a pull request cannot use', () => {
    const apply = workflow('apply')
    expect(apply.jobs['apply']?.if).toContain('github.event.repository.default_branch')
    expect(JSON.stringify(workflow('plan'))).not.toMatch(
      /environment|WLANCTL_API_TOKEN: .*secrets.WLANCTL_API_TOKEN/
    )
    expect(Object.keys(workflow('plan').on.workflow_call?.secrets ?? {})).toEqual([
      'WLANCTL_READ_TOKEN'
    ])
  })

  it('of the scripts: they come from the commit that the caller names, or are not used', () => {
    const own = jobs
      .flatMap(({ job }) => job.steps ?? [])
      .filter(step => isCheckout(step) && step.with?.['path'] === 'wlanctl')
    expect(own).toHaveLength(16)
    for (const { with: settings } of own) {
      expect(settings).toMatchObject({
        repository: expression('job.workflow_repository'),
        // A ref cannot contain a space, so a service that does not know the commit fails here.
        ref: expression("job.workflow_sha || 'no commit known'")
      })
    }
  })
})
