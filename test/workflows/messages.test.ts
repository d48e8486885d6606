import { describe, expect, it } from 'vitest'
import { BOT } from './fake/github.ts'
import { desk } from './fake/script.ts'

const ours = '<!-- wlanctl:plan:fleet -->'

describe('comment.sh', () => {
  const env = { KIND: 'plan', PULL_REQUEST: '7' }

  it('finds its comment among hundreds, and takes nobody else’s for it', async () => {
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

  it('names the page for a browser, if there is one', async () => {
    const { hub, run, write } = desk()
    write('temp/results/report.md', 'report\n')
    await run('scripts/comment.sh', env)
    expect(hub.state.comments[0]?.body).toMatch(/with its log and artifacts<\/sub>\n$/)
    write('temp/results/report.html', '<!doctype html>')
    await run('scripts/comment.sh', env)
    expect(hub.state.comments[0]?.body).toContain('artifacts: `report.html` shows')
  })

  it('keeps one for each fleet and each kind', async () => {
    const { hub, run, write } = desk()
    write('temp/results/report.md', 'report\n')
    for (const change of [{}, { NAME: 'fleet-two' }, { KIND: 'apply' }, {}]) {
      await run('scripts/comment.sh', { ...env, ...change })
    }
    expect(hub.state.comments).toHaveLength(3)
  })

  it.each([
    ['longer than GitHub takes', 'x'.repeat(65_001)],
    ['empty', '']
  ])('a report that is %s is not shown', async (_, report) => {
    const { hub, run, write } = desk()
    write('temp/results/report.md', report)
    expect(await run('scripts/comment.sh', env)).toMatchObject({ code: 0 })
    expect(hub.state.comments[0]?.body).toMatch(/^<!-- .* -->\nThere is no report of this plan\.\n/)
  })

  it.each(['a --> b', '../x', 'A', '', 'a\nb'])('refuses the name %j', async NAME => {
    const { hub, run } = desk()
    expect(await run('scripts/comment.sh', { ...env, NAME })).toMatchObject({ code: 1 })
    expect(hub.state.calls).toEqual([])
  })

  it('fails where GitHub does', async () => {
    const { run } = desk()
    const refused = await run('scripts/comment.sh', { ...env, FAKE_PERMISSIONS: '{}' })
    expect(refused).toMatchObject({ code: 1, log: expect.stringContaining('HTTP 403') })
  })
})

describe('issue.sh', () => {
  const body = '<!-- wlanctl:drift:fleet -->\nold'
  const issue = { number: 3, state: 'open', user: BOT, title: 'Drift', body }

  it.each([
    ['2', 'open', 'new'],
    ['0', 'closed', 'old'],
    ['5', 'open', 'old'],
    ['', 'open', 'old']
  ])('exit code %j leaves the open issue %s, with what is %s in it', async (code, state, text) => {
    const { hub, run, write } = desk()
    write('temp/results/report.md', 'new\n')
    hub.change(({ issues }) => void issues.push(issue))
    expect(await run('scripts/issue.sh', { EXIT_CODE: code })).toMatchObject({ code: 0 })
    expect(hub.state.issues).toMatchObject([{ state, body: expect.stringContaining(text) }])
  })

  it.each([
    ['of somebody else', { ...issue, user: { login: 'someone' } }],
    ['of another fleet', { ...issue, body: '<!-- wlanctl:drift:other -->' }],
    ['that is a pull request', { ...issue, pull_request: {} }],
    ['that was closed', { ...issue, state: 'closed' }]
  ])('opens one beside an issue %s', async (_, other) => {
    const { hub, run } = desk()
    hub.change(({ issues }) => void issues.push(other))
    await run('scripts/issue.sh', { EXIT_CODE: '2' })
    expect(hub.state.issues).toEqual([
      other,
      expect.objectContaining({ state: 'open', title: 'Drift: fleet is not as declared' })
    ])
  })
})
