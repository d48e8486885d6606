import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { DEMO_TOKEN } from '../../src/simulator/server.ts'
import { CORP, corp, GUEST, guest, HQ } from '../simulator/simulate.ts'
import { commit, git, repository } from '../support/git.ts'
import { desk } from './fake/script.ts'
import { checkout, PSK, type Push, town } from './fake/town.ts'
import { read } from './fake/workflow.ts'

/** Each test is a fault that occurred in a run: a workflow must fail closed, or report it. */

const forbidden = { fail: [{ answer: { status: 403 }, times: 'always' as const }] }

/** Pull request 7, which sets VLAN 21, planned and merged. */
async function merged(number = 7) {
  const made = await town()
  await made.plan(number, 21, 'aaa')
  made.merge(number, 'aaa', 'merge7')
  return made
}

const lastComment = (hub: { state: { comments: readonly { issue: number; body: string }[] } }) =>
  hub.state.comments.at(-1)?.body ?? ''

it('each has a test of the name that test/README.md says', () => {
  const rows = [...read('test/README.md').matchAll(/^\| [\w -]+ \| `(\w+\.test\.ts)`: (.+) \|$/gm)]
  expect(rows).toHaveLength(13)
  for (const [, file = '', name = ''] of rows) {
    expect(read(`test/workflows/${file}`)).toContain(name)
  }
})

/** A scenario runs up to a dozen jobs. */
const long = { timeout: 120_000 }

describe('apply fails closed', long, () => {
  it('where the plan has expired', async () => {
    const { hub, simulator, apply } = await merged()
    hub.change(({ artifacts }) => {
      for (const each of artifacts) Object.assign(each, { expired: true })
    })
    expect((await apply(21, 'merge7'))['apply']?.result).toBe('failure')
    expect(simulator.history).toEqual([])
    expect(lastComment(hub)).toContain('### 🔴 Apply: refused, nothing was sent')
    expect(lastComment(hub)).toContain('There is no plan of the last commit of #7')
  })

  it('where an old run is repeated, and keeps its record and its line in the comment', async () => {
    const { hub, simulator, apply } = await merged()
    await apply(21, 'merge7', { id: 50 })
    // As if a later merge had applied it.
    simulator.edit(HQ, CORP, { vlan_id: 22 })
    const again = await apply(21, 'merge7', { id: 50, attempt: 2, tip: 'merge8' })
    expect(again['apply']?.result).toBe('failure')
    expect(simulator.record(HQ, CORP)['vlan_id']).toBe(22)
    const comment = hub.state.comments.find(
      ({ issue, body }) => issue === 7 && body.includes(':apply:')
    )
    expect(comment?.body).toContain('merge7 is not the last commit of main any more')
    expect(comment?.body).toMatch(
      /^- \[Run 50, attempt 1\].*applied\n- \[Run 50, attempt 2\].*refused/m
    )
    const kept = join(hub.directory, 'artifacts/50/wlanctl-record-fleet-1/record.jsonl')
    expect(readFileSync(kept, 'utf8')).toContain('"applied"')
  })

  it('where the merge queue has planned, but no reviewer has seen a plan', async () => {
    const { hub, simulator, apply, planOfQueue, merge } = await town()
    const queued = await planOfQueue(21, 'merge7')
    expect(queued).toMatchObject({
      plan: { result: 'success', outputs: { changed: '1' } },
      'plan-on-snapshot': { result: 'skipped' },
      comment: { result: 'skipped' }
    })
    merge(7, 'aaa', 'merge7')
    await apply(21, 'merge7')
    expect(simulator.history).toEqual([])
    expect(lastComment(hub)).toContain('There is no plan of the last commit of #7')
  })

  it('for two merges at once: one run applies both, and comments on both pull requests', async () => {
    const { hub, simulator, applyOf, planOf, merge } = await town()
    simulator.edit(HQ, CORP, { vlan_id: 20 })
    const files = checkout(20)
    repository(files)
    const before = git(files, 'rev-parse', 'HEAD')
    const file = join(files, 'sites/hq.yaml')
    const step = async (number: number, from: string, to: string) => {
      writeFileSync(file, readFileSync(file, 'utf8').replace(from, to))
      commit(files)
      const sha = git(files, 'rev-parse', 'HEAD')
      await planOf(number, files, `head${number}`)
      merge(number, `head${number}`, sha)
      return sha
    }
    await step(7, 'ssid: Guest,', 'ssid: Guest, dtim: 3,')
    const second = await step(8, 'vlan_id: 20', 'vlan_id: 21')
    const { apply } = await applyOf(files, second, { before })
    expect(apply?.result).toBe('success')
    expect(simulator.record(HQ, CORP)['vlan_id']).toBe(21)
    expect(simulator.record(HQ, GUEST)['dtim']).toBe(3)
    const applyComments = hub.state.comments.filter(({ body }) => body.includes(':apply:'))
    expect(applyComments.map(({ issue }) => issue).sort()).toEqual([7, 8])
  })

  it.each<[string, Push & { readonly policy?: string }, RegExp]>([
    ['a limit', { policy: 'max_changes: 0' }, /refused: .*nothing was sent/],
    [
      'a missing token',
      { environments: { production: { WLAN_SECRET_GUEST: PSK } } },
      /the API token is missing/
    ],
    [
      'a missing secret',
      { environments: { production: { WLANCTL_API_TOKEN: DEMO_TOKEN } } },
      /missing secret of hq\/guest/
    ],
    ['a registry that is down', { isRegistryDown: true }, /wlanctl could not be installed/]
  ])(
    'for %s, with the reason in the comment and an annotation',
    async (_, { policy, ...change }: Push & { readonly policy?: string }, reason) => {
      const { hub, simulator, applyOf } = await merged()
      const files = checkout(21, policy)
      const { apply } = await applyOf(files, 'merge7', change)
      expect(apply?.result).toBe('failure')
      expect(simulator.history).toEqual([])
      expect(lastComment(hub)).toMatch(/### 🔴 Apply: nothing was sent/)
      expect(lastComment(hub)).toMatch(reason)
      expect(apply?.log).toMatch(/^::error title=wlanctl::Apply: nothing was sent: /m)
      expect(apply?.summary).toMatch(reason)
    }
  )

  it('and continues after a temporary failure of GitHub', async () => {
    const { hub, simulator, apply } = await merged()
    const problem = 'HTTP 502: Bad Gateway'
    hub.change(({ failures }) => {
      failures.push(
        { matching: '/pulls', times: 1, problem },
        { matching: 'comments', times: 1, problem }
      )
    })
    expect(await apply(21, 'merge7')).toMatchObject({
      apply: { result: 'success' },
      comment: { result: 'success' }
    })
    expect(simulator.record(HQ, CORP)['vlan_id']).toBe(21)
  })
})

describe('a pull request', long, () => {
  it('has each invalid line annotated once, whichever jobs report it', async () => {
    const { planOf } = await town()
    const files = checkout(
      21,
      'plaintext_secrets: warn',
      'lobby: { ssid: Lobby, auth: { psk: "in-the-clear" } }'
    )
    const jobs = await planOf(7, files, 'aaa')
    const annotations = (id: string) =>
      (jobs[id]?.log.match(/^::(?:error|warning) file=.*/gm) ?? []).map(
        line => /title=(\w+)/.exec(line)?.[1]
      )
    expect(annotations('validate')).toEqual(['SECRET_IN_CLEAR'])
    expect(annotations('plan')).toEqual(['WLAN_NOT_FOUND', 'SECRET_UNRESOLVED', 'LINT'])
    expect(jobs['plan']?.log).toContain('SECRET_IN_CLEAR')
    const wrong = await planOf(7, checkout(9999), 'bbb')
    const all = Object.values(wrong).flatMap(({ log }) => log.match(/^::error file=.*/gm) ?? [])
    expect(all).toHaveLength(1)
  })
})

describe('`scope: changed`', long, () => {
  it('plans and applies the changed sites, and distinguishes drift at the same site', async () => {
    const other = '20000000-0000-4000-8000-000000000002'
    const wlan = { ...corp, id: '20000000-0000-4000-8000-000000000003', site_id: other }
    const sites = [
      { id: HQ, name: 'hq', wlans: [corp, guest] },
      { id: other, name: 'kiel', wlans: [wlan] }
    ]
    const { hub, simulator, planOf, applyOf, merge, open } = await town({ sites })
    open(7)
    const files = checkout(20)
    writeFileSync(
      join(files, 'sites/kiel.yaml'),
      `site: { id: ${other}, name: kiel }\nwlans: { corp: { ssid: Corp, vlan_id: 20 } }\n`
    )
    repository(files)
    const before = git(files, 'rev-parse', 'HEAD')
    const file = join(files, 'sites/hq.yaml')
    const text = readFileSync(file, 'utf8').replace('ssid: Corp,', 'ssid: Corp, limit_bcast: true,')
    writeFileSync(file, text)
    commit(files)
    const sha = git(files, 'rev-parse', 'HEAD')
    simulator.edit(HQ, CORP, { vlan_id: 99 })
    simulator.edit(other, wlan.id, { vlan_id: 99 })
    const inputs = { 'base-url': simulator.url, scope: 'changed' }
    await planOf(7, files, 'aaa', { inputs })
    const comment = lastComment(hub)
    expect(comment).toMatch(/limit_bcast.*vlan_id|vlan_id.*limit_bcast/s)
    expect(comment).toContain('drift, goes back with this change')
    expect(comment).not.toContain('kiel')
    expect(simulator.requests.every(({ path }) => !path.includes(other))).toBe(true)
    merge(7, 'aaa', sha)
    const { apply } = await applyOf(files, sha, { before, inputs })
    expect(apply?.result).toBe('success')
    expect(simulator.record(HQ, CORP)).toMatchObject({ vlan_id: 20, limit_bcast: true })
    expect(simulator.record(other, wlan.id)['vlan_id']).toBe(99)
  })
})

describe('a merge that weakens the policy', long, () => {
  it('is applied only with consent, whether or not its plan was approved', async () => {
    const { hub, simulator, planOf, merge, applyOf } = await town()
    const files = checkout(20)
    writeFileSync(join(files, 'policy.yaml'), 'policy: { max_changes: 1 }\n')
    repository(files)
    const before = git(files, 'rev-parse', 'HEAD')
    writeFileSync(join(files, 'policy.yaml'), 'policy: { max_changes: 100 }\n')
    const file = join(files, 'sites/hq.yaml')
    writeFileSync(file, readFileSync(file, 'utf8').replace('vlan_id: 20', 'vlan_id: 21'))
    commit(files)
    const sha = git(files, 'rev-parse', 'HEAD')
    const { plan } = await planOf(7, files, 'aaa', { inputs: { 'base-url': simulator.url } })
    expect(plan?.summary).toContain('#### Weaker than the base')
    merge(7, 'aaa', sha)
    const inputs = { 'base-url': simulator.url }
    const refused = await applyOf(files, sha, { before, inputs })
    expect(refused['apply']?.result).toBe('failure')
    expect(lastComment(hub)).toContain('the files weaken 1 guard of the base')
    expect(simulator.history).toEqual([])
    const options = '--allow-downgrade=policy'
    const { apply } = await applyOf(files, sha, {
      before,
      inputs: { ...inputs, options },
      attempt: 2
    })
    expect(apply?.result).toBe('success')
    expect(simulator.record(HQ, CORP)).toMatchObject({ vlan_id: 21 })
  })
})

describe('drift is reported', long, () => {
  it('although some sites cannot be checked', async () => {
    const { hub, simulator, driftOf } = await town()
    simulator.edit(HQ, CORP, { vlan_id: 99 })
    const files = checkout(20, undefined, 'missing: { ssid: Missing }')
    const { drift } = await driftOf(files)
    expect(drift).toMatchObject({
      outputs: { 'exit-code': '5', status: 'drift', incomplete: 'true' }
    })
    expect(hub.state.issues).toMatchObject([
      { state: 'open', title: 'Drift: fleet is not as declared' }
    ])
    expect(hub.state.issues[0]?.body).toContain('**Incomplete:**')
  })

  it('in a new comment if more WLANs drift while the issue is open', async () => {
    const { hub, simulator, driftOf } = await town()
    const files = checkout(20)
    const file = join(files, 'sites/hq.yaml')
    const text = readFileSync(file, 'utf8')
      .replace('ssid: Corp', 'ssid: Corp, limit_bcast: false')
      .replace('name: hq', 'name: hq, owner: hq-team')
    writeFileSync(file, text)
    simulator.edit(HQ, CORP, { vlan_id: 99 })
    await driftOf(files)
    simulator.edit(HQ, CORP, { vlan_id: 98 })
    await driftOf(files)
    expect(hub.state.comments).toEqual([])
    simulator.edit(HQ, CORP, { limit_bcast: true })
    await driftOf(files)
    expect(hub.state.comments).toMatchObject([{ issue: hub.state.issues[0]?.number }])
    expect(lastComment(hub)).toMatch(
      /^Drift of more WLANs, found by \[the check\]\(.*\):\n\n- `hq\/corp`: `\/limit_bcast` @acme\/hq-team\n/
    )
  })

  it('if a guard field changes that no file declares, after any number of checks', async () => {
    const { hub, simulator, driftOf } = await town()
    const files = checkout(20)
    await driftOf(files)
    await driftOf(files)
    expect(hub.state.issues).toEqual([])
    simulator.edit(HQ, CORP, { isolation: true })
    await driftOf(files)
    expect(hub.state.issues).toMatchObject([
      { state: 'open', title: 'Drift: fleet is not as declared' }
    ])
    expect(hub.state.issues[0]?.body).toContain('- `hq/corp`: `/isolation`\n')
    simulator.edit(HQ, CORP, { isolation: false })
    await driftOf(files)
    expect(lastComment(hub)).toMatch(/^Drift of more WLANs.*\n\n- `hq\/corp`: `\/isolation`\n/)
  })

  it.each([
    ['the service refuses', forbidden, {}],
    ['the registry is down', {}, { isRegistryDown: true }],
    ['there is no token', {}, { secrets: {} }]
  ])('as a failed check if %s, and its stored files are kept', async (_, service, change) => {
    const { hub, simulator, drift, planFromFork } = await town()
    simulator.edit(HQ, CORP, { vlan_id: 99 })
    await drift(20)
    const stored = () =>
      hub.state.artifacts.findLast(({ name }) => name === 'wlanctl-snapshot-fleet')?.workflow_run.id
    const read = (name: string) =>
      readFileSync(
        join(hub.directory, `artifacts/${stored()}/wlanctl-snapshot-fleet/${name}`),
        'utf8'
      )
    const before = [read('snapshot.json'), read('drift.json')]
    simulator.set(service)
    expect((await drift(20, change))['drift']?.result).toBe('failure')
    expect(hub.state.issues).toMatchObject([
      { title: 'Drift: fleet is not as declared', state: 'open' },
      { title: 'Drift: fleet cannot be checked', state: 'open' }
    ])
    expect(hub.state.issues[1]?.body).toMatch(/\*\*Cannot check since 20[0-9T:-]+Z:\*\*/)
    expect(JSON.parse(read('snapshot.json')).sites).toEqual(JSON.parse(before[0] ?? '').sites)
    // A plan on it is still possible, and the next check has its times.
    const fork = await planFromFork(9, 21)
    expect(fork['plan-on-snapshot']?.summary).toContain('| `hq` | `corp`')
    simulator.set({ fail: [] })
    await drift(20)
    const { changes, since } = JSON.parse(read('drift.json'))
    expect(since.new_fields).toBe(0)
    expect(changes[0].first_seen['/vlan_id']).toBe(JSON.parse(before[1] ?? '').created)
    expect(hub.state.issues[1]).toMatchObject({ state: 'closed' })
  })
})

describe('webhook.sh', () => {
  async function receiver(status: number) {
    const received: string[] = []
    const server = createServer(async (request, response) => {
      let text = ''
      for await (const part of request) text += part
      received.push(text)
      response.writeHead(status).end()
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    return { received, url: `http://127.0.0.1:${address.port}/hook/planted-path` }
  }

  const TEXT = 'Drift: <b>fleet</b> & more'

  it.each([
    [
      'slack',
      {
        text: 'fleet: Drift: &lt;b&gt;fleet&lt;/b&gt; &amp; more https://github.com/acme/wifi/actions/runs/1'
      }
    ],
    [
      'teams',
      {
        type: 'message',
        attachments: [{ content: { body: [{ text: expect.stringContaining(TEXT) }] } }]
      }
    ]
  ])('posts the form of %s', async (WEBHOOK_FORM, message) => {
    const { received, url } = await receiver(200)
    const { code, log } = await desk().run('scripts/webhook.sh', {
      TEXT,
      WEBHOOK_FORM,
      WEBHOOK_URL: url
    })
    expect({ code, log }).toEqual({ code: 0, log: '' })
    expect(received.map(text => JSON.parse(text))).toMatchObject([message])
  })

  it('warns about a rejected request without the URL', async () => {
    const { url } = await receiver(403)
    for (const WEBHOOK_URL of [url, 'http://elsewhere.example/planted-path']) {
      const { code, log } = await desk().run('scripts/webhook.sh', { TEXT, WEBHOOK_URL })
      expect({ code, log }).toEqual({
        code: 0,
        log: expect.stringMatching(/^::warning::[^\n]*\n$/)
      })
      expect(log).not.toContain('planted')
    }
  })

  it('posts nothing without a URL or news', async () => {
    const { received, url } = await receiver(200)
    await desk().run('scripts/webhook.sh', { TEXT })
    await desk().run('scripts/webhook.sh', { TEXT: '', WEBHOOK_URL: url })
    expect(received).toEqual([])
  })
})
