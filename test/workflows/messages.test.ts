import { describe, expect, it } from 'vitest'
import { BOT } from './fake/github.ts'
import { desk } from './fake/script.ts'

const ours = '<!-- wlanctl:plan:fleet -->'

describe('comment.sh', () => {
  const env = { KIND: 'plan', PULL_REQUESTS: '7' }

  it('finds its comment among hundreds, and ignores those of other users', async () => {
    const { hub, run, write } = desk()
    write('temp/results/report.md', '<!-- wlanctl:plan:. -->\nnew\n')
    hub.change(({ comments }) => {
      for (let id = 1; id <= 250; id++) {
        const isOurs = id === 222
        const body = id % 2 === 0 ? `${ours}\nold` : 'hello'
        comments.push({ id, issue: 7, user: isOurs ? BOT : { login: 'someone' }, body })
      }
    })
    expect(await run('scripts/comment.sh', env)).toMatchObject({ code: 0 })
    const { comments } = hub.state
    expect(comments).toHaveLength(250)
    expect(comments.filter(({ body }) => body.includes('new')).map(({ id }) => id)).toEqual([222])
    expect(comments[221]?.body).toMatch(
      /^<!-- wlanctl:plan:fleet -->\nnew\n\n<sub>\[The run\]\(https:.*\/1\)/
    )
  })

  it('links the HTML report if there is one', async () => {
    const { hub, run, write } = desk()
    write('temp/results/report.md', 'report\n')
    await run('scripts/comment.sh', env)
    expect(hub.state.comments[0]?.body).toMatch(/with its log and artifacts<\/sub>\n$/)
    write('temp/results/report.html', '<!doctype html>')
    await run('scripts/comment.sh', env)
    expect(hub.state.comments[0]?.body).toContain('artifacts: `report.html` shows')
  })

  it('keeps one comment per fleet and kind', async () => {
    const { hub, run, write } = desk()
    write('temp/results/report.md', 'report\n')
    for (const change of [{}, { NAME: 'fleet-two' }, { KIND: 'apply' }, {}]) {
      await run('scripts/comment.sh', { ...env, ...change })
    }
    expect(hub.state.comments).toHaveLength(3)
  })

  it.each([
    [
      'longer than the limit of GitHub',
      `### Plan: 9 WLANs\n${'x'.repeat(65_401)}`,
      '### Plan: 9 WLANs'
    ],
    ['empty', '', '### 🔴 The run ended before']
  ])('does not print a report that is %s', async (_, report, shown) => {
    const { hub, run, write } = desk()
    write('temp/results/report.md', report)
    expect(await run('scripts/comment.sh', env)).toMatchObject({ code: 0 })
    expect(hub.state.comments[0]?.body).toContain(`-->\n${shown}`)
    expect(hub.state.comments[0]?.body).not.toContain('xxxx')
  })

  it.each(['a --> b', '../x', 'A', '', 'a\nb'])('rejects the name %j', async NAME => {
    const { hub, run } = desk()
    expect(await run('scripts/comment.sh', { ...env, NAME })).toMatchObject({ code: 1 })
    expect(hub.state.calls).toEqual([])
  })

  it('fails if GitHub does', async () => {
    const { run } = desk()
    const refused = await run('scripts/comment.sh', { ...env, FAKE_PERMISSIONS: '{}' })
    expect(refused).toMatchObject({ code: 1, log: expect.stringContaining('HTTP 403') })
  })
})

describe('issue.sh', () => {
  const body = '<!-- wlanctl:drift:fleet -->\nold'
  const issue = { number: 3, state: 'open', user: BOT, title: 'Drift', body }

  it.each([
    ['drift', 'open', 'new'],
    ['none', 'closed', 'old'],
    ['incomplete', 'open', 'old'],
    ['', 'open', 'old']
  ])('with the status %j leaves the open issue %s, with %s in it', async (STATUS, state, text) => {
    const { hub, run, write } = desk()
    write('temp/results/report.md', 'new\n')
    hub.change(({ issues }) => void issues.push(issue))
    expect(await run('scripts/issue.sh', { STATUS })).toMatchObject({ code: 0 })
    expect(hub.state.issues[0]).toMatchObject({ state, body: expect.stringContaining(text) })
    expect(hub.state.issues).toHaveLength(STATUS === 'drift' || STATUS === 'none' ? 1 : 2)
  })

  it('reports since when a check fails, until it succeeds', async () => {
    const { hub, run } = desk()
    await run('scripts/issue.sh', { STATUS: 'failed' })
    const since = /Cannot check since [0-9TZ:-]+Z/.exec(hub.state.issues[0]?.body ?? '')?.[0] ?? '?'
    expect(hub.state.issues[0]?.title).toBe('Drift: fleet cannot be checked')
    const old = 'Cannot check since 2026-11-01T05:17Z'
    hub.change(({ issues }) => {
      for (const each of issues) Object.assign(each, { body: each.body.replace(since, old) })
    })
    const again = await run('scripts/issue.sh', { STATUS: 'incomplete' })
    expect(again).toMatchObject({ code: 0, outputs: { news: '' } })
    expect(hub.state.issues).toMatchObject([{ body: expect.stringContaining(old) }])
    const done = await run('scripts/issue.sh', { STATUS: 'none' })
    expect(done.outputs['news']).toContain('Checked again')
    expect(hub.state.issues).toMatchObject([{ state: 'closed' }])
  })

  it('adds labels and assignees to a new issue, or none if GitHub rejects them', async () => {
    const { hub, run } = desk()
    const people = { LABELS: 'drift, wifi', ASSIGNEES: 'lea' }
    await run('scripts/issue.sh', { STATUS: 'drift', ...people })
    await run('scripts/issue.sh', { STATUS: 'failed', LABELS: 'x', ASSIGNEES: 'nobody-here' })
    expect(hub.state.issues).toMatchObject([
      { labels: ['drift', 'wifi'], assignees: ['lea'] },
      { labels: [], assignees: [] }
    ])
  })

  it.each([
    ['of another user', { ...issue, user: { login: 'someone' } }],
    ['of another fleet', { ...issue, body: '<!-- wlanctl:drift:other -->' }],
    ['that is a pull request', { ...issue, pull_request: {} }],
    ['that was closed', { ...issue, state: 'closed' }]
  ])('opens an issue next to one %s', async (_, other) => {
    const { hub, run } = desk()
    hub.change(({ issues }) => void issues.push(other))
    await run('scripts/issue.sh', { STATUS: 'drift' })
    expect(hub.state.issues).toEqual([
      other,
      expect.objectContaining({ state: 'open', title: 'Drift: fleet is not as declared' })
    ])
  })
})

describe('comment.sh of an apply', () => {
  it('keeps a line for each run, on each pull request', async () => {
    const { hub, run, write } = desk()
    const env = { KIND: 'apply', PULL_REQUESTS: '7 8' }
    for (const [attempt, title] of ['3 applied', 'refused'].entries()) {
      write('temp/results/report.md', `<!-- wlanctl:apply:. -->\n### Apply: ${title}\n`)
      const GITHUB_RUN_ATTEMPT = String(attempt + 1)
      expect(await run('scripts/comment.sh', { ...env, GITHUB_RUN_ATTEMPT })).toMatchObject({
        code: 0
      })
    }
    expect(hub.state.comments.map(({ issue }) => issue)).toEqual([7, 8])
    for (const { body } of hub.state.comments) {
      expect(body).toMatch(/^<!-- wlanctl:apply:fleet -->\n### Apply: refused\n/)
      expect(body.match(/^- .*/gm)).toEqual([
        '- [Run 1, attempt 1](https://github.com/acme/wifi/actions/runs/1): Apply: 3 applied',
        '- [Run 1, attempt 2](https://github.com/acme/wifi/actions/runs/1/attempts/2): Apply: refused'
      ])
    }
  })
})

describe('api, in lib.sh', () => {
  const env = { KIND: 'plan', PULL_REQUESTS: '7' }
  const failing = (matching: string, times: number, problem: string) => {
    const made = desk()
    made.hub.quicken()
    made.write('temp/results/report.md', 'report\n')
    made.hub.change(({ failures }) => void failures.push({ matching, times, problem }))
    return made
  }

  it.each(['GET', 'POST'])('repeats a %s after a failure of GitHub', async method => {
    const { hub, run } = failing(method, 2, 'HTTP 502: Bad Gateway')
    expect(await run('scripts/comment.sh', env)).toMatchObject({ code: 0 })
    expect(hub.state.comments).toMatchObject([{ body: expect.stringContaining('report') }])
  })

  it.each(['HTTP 429: Too Many Requests', 'You have exceeded a secondary rate limit (HTTP 403)'])(
    'waits a minute after %s',
    async problem => {
      const { hub, run, command } = failing('GET', 1, problem)
      command('sleep', 'echo "$1" >&2')
      const { code, log } = await run('scripts/comment.sh', env)
      expect({ code, log }).toEqual({ code: 0, log: '60\n' })
      expect(hub.state.comments).toHaveLength(1)
    }
  )

  it('fails after the last attempt, and at once if GitHub rejects the request', async () => {
    for (const [problem, tries] of [
      ['HTTP 502: Bad Gateway', 4],
      ['HTTP 403: Forbidden', 1]
    ] as const) {
      const { hub, run } = failing('GET', 9, problem)
      const { code, log } = await run('scripts/comment.sh', env)
      expect({ code, left: hub.state.failures[0]?.times }).toEqual({ code: 1, left: 9 - tries })
      expect(log).toContain(problem)
    }
  })
})
