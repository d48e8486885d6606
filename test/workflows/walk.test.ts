import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CORP, HQ } from '../simulator/simulate.ts'
import { commit, git, repository } from '../support/git.ts'
import { folder } from '../support/program.ts'
import { Scanner } from '../support/scanner.ts'
import { BOT } from './fake/github.ts'
import type { JobResult } from './fake/machine.ts'
import { checkout, PSK, town } from './fake/town.ts'

const resultsOf = (jobs: Readonly<Record<string, JobResult>>) =>
  Object.fromEntries(Object.entries(jobs).map(([id, { result }]) => [id, result]))

/** The options that let a direct push be applied. */
const unapproved = { inputs: { 'require-plan': false } }

describe('the workflows', () => {
  it('pull request, comment, merge, apply, comment, hand edit, drift, issue, fix, closed', {
    timeout: 120_000
  }, async () => {
    const { simulator, hub, ...walk } = await town()
    walk.open(7)
    hub.change(({ comments }) => {
      comments.push({
        id: 1,
        issue: 7,
        user: { login: 'troll' },
        body: '<!-- wlanctl:plan:fleet -->'
      })
    })

    // Pull request: planned, shown in one comment, nothing sent.
    const planned = await walk.plan(7, 21, 'aaa')
    expect(resultsOf(planned)).toEqual({
      validate: 'success',
      plan: 'success',
      'plan-on-snapshot': 'skipped',
      comment: 'success'
    })
    expect(planned['plan']?.outputs).toMatchObject({
      changed: '1',
      blocked: '0',
      'sites-failed': '0',
      digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/)
    })
    expect(planned['plan']?.summary).toContain('vlan_id')
    const [, comment] = hub.state.comments
    expect(comment).toMatchObject({ issue: 7, user: BOT })
    expect(comment?.body).toMatch(/^<!-- wlanctl:plan:fleet -->\n###/)
    expect(comment?.body).toContain('| `hq` | `corp`')
    expect(simulator.history).toEqual([])

    // Another commit: the same comment shows the new plan.
    await walk.plan(7, 22, 'bbb')
    expect(hub.state.comments).toHaveLength(2)
    expect(hub.state.comments[0]?.body).toBe('<!-- wlanctl:plan:fleet -->')
    expect(hub.state.comments[1]).toMatchObject({ id: comment?.id })
    expect(hub.state.comments[1]?.body).toContain('22')

    // Merged: the approved plan is applied, and the comment shows the result.
    walk.merge(7, 'bbb', 'merge7')
    const applied = await walk.apply(22, 'merge7')
    expect(resultsOf(applied)).toEqual({ apply: 'success', comment: 'success' })
    expect(simulator.record(HQ, CORP)['vlan_id']).toBe(22)
    expect(hub.state.comments[2]).toMatchObject({ issue: 7, user: BOT })
    expect(hub.state.comments[2]?.body).toMatch(/^<!-- wlanctl:apply:fleet -->\n/)
    expect(hub.state.artifacts.map(({ name }) => name)).toContain('wlanctl-record-fleet-1')

    // In sync: a check opens nothing.
    expect(resultsOf(await walk.drift(22))).toEqual({ drift: 'success', issue: 'success' })
    expect(hub.state.issues).toEqual([])

    // A manual edit: one issue, which is updated.
    simulator.edit(HQ, CORP, { vlan_id: 99 })
    expect((await walk.drift(22))['drift']).toMatchObject({
      result: 'success',
      outputs: { 'exit-code': '2' }
    })
    expect(hub.state.issues).toMatchObject([{ state: 'open', user: BOT }])
    expect(hub.state.issues[0]?.body).toContain('99')
    simulator.edit(HQ, CORP, { vlan_id: 98 })
    await walk.drift(22)
    expect(hub.state.issues).toHaveLength(1)
    expect(hub.state.issues[0]?.body).toContain('98')

    // A run without a pull request fixes it, and the next check closes the issue.
    expect(resultsOf(await walk.apply(22, 'direct', unapproved))).toEqual({
      apply: 'success',
      comment: 'skipped'
    })
    await walk.drift(22)
    expect(hub.state.issues).toMatchObject([{ state: 'closed', state_reason: 'completed' }])
    expect(hub.state.comments.at(-1)).toMatchObject({ issue: hub.state.issues[0]?.number })
  })

  it('plan a pull request from a fork on the stored snapshot, without token, secret or comment', async () => {
    const { simulator, hub, ...walk } = await town()
    await walk.drift(20)
    const requests = simulator.requests.length
    const jobs = await walk.planFromFork(8, 21)
    expect(resultsOf(jobs)).toEqual({
      validate: 'success',
      plan: 'skipped',
      'plan-on-snapshot': 'success',
      comment: 'skipped'
    })
    expect(jobs['plan-on-snapshot']?.summary).toContain('comes from outside of the repository')
    expect(jobs['plan-on-snapshot']?.summary).toContain('| `hq` | `corp`')
    // The summary links to everything.
    expect(hub.state.artifacts.map(({ name }) => name)).toContain(
      'wlanctl-planned-on-snapshot-fleet'
    )
    expect(simulator.requests).toHaveLength(requests)
    expect(hub.state.comments).toEqual([])
  })

  it('report the errors of a pull request from a fork without a stored snapshot', async () => {
    const { hub, ...walk } = await town()
    // An artifact of a fork's run is no snapshot, whatever the name of its branch.
    const left = folder()
    writeFileSync(join(left, 'snapshot.json'), '{}')
    const run = {
      id: 99,
      repository_id: 1,
      head_repository_id: 2,
      head_branch: 'main',
      head_sha: 'x'
    }
    hub.store('wlanctl-snapshot-fleet', [left], run)
    const jobs = await walk.planFromFork(8, 9999)
    expect(resultsOf(jobs)).toMatchObject({ validate: 'failure', 'plan-on-snapshot': 'success' })
    expect(jobs['validate']?.log).toMatch(/^::error .*file=sites\/hq\.yaml,line=3,/m)
    expect(jobs['plan-on-snapshot']?.log).toContain('There is no stored snapshot yet')
  })

  it('send less, and nothing else, for a tampered plan', async () => {
    const { simulator, hub, ...walk } = await town()
    await walk.plan(9, 20, 'ccc')
    walk.merge(9, 'ccc', 'merge9')
    const applied = await walk.apply(21, 'merge9')
    expect(resultsOf(applied)).toEqual({ apply: 'failure', comment: 'success' })
    expect(simulator.record(HQ, CORP)['vlan_id']).toBe(20)
    expect(hub.state.comments.at(-1)?.body).toContain('skipped')
  })

  it('run no code of a pull request', async () => {
    const { hub, ...walk } = await town()
    walk.open(7)
    const files = checkout(21)
    const trap = 'console.log("trapped", JSON.stringify(process.env))'
    const scripts = {
      '.env': 'NODE_OPTIONS=--require=./trap.js',
      '.npmrc': 'node-options=--require ./trap.js\nscript-shell=./trap.sh\nignore-scripts=false',
      'node.config.json': '{"nodeOptions": {"import": "./trap.js"}}',
      'package.json': '{"type": "module", "scripts": {"preinstall": "node trap.js"}}',
      'trap.js': trap,
      'node_modules/wlanctl/dist/wlanctl.js': trap,
      '.github/scripts/plan.sh': 'echo trapped',
      'wlanctl/.github/scripts/plan.sh': 'echo trapped'
    }
    for (const [path, text] of Object.entries(scripts)) {
      mkdirSync(dirname(join(files, path)), { recursive: true })
      writeFileSync(join(files, path), text)
    }
    const jobs = await walk.planOf(7, files, 'aaa')
    expect(resultsOf(jobs)).toMatchObject({ plan: 'success', comment: 'success' })
    expect(
      Object.values(jobs)
        .map(({ log }) => log)
        .join()
    ).not.toContain('trapped')
  })

  it('apply the default branch alone', async () => {
    const { simulator, ...walk } = await town()
    const jobs = await walk.apply(21, 'any', { ref: 'refs/heads/change' })
    expect(resultsOf(jobs)).toEqual({ apply: 'skipped', comment: 'skipped' })
    expect(simulator.requests).toEqual([])
  })

  it.each([
    ['files are invalid', 9999, {}, /`vlan_id`|vlan_id/],
    [
      'the token is missing',
      21,
      { secrets: {} },
      /### 🔴 Plan: not made\n\n {4}wlanctl: the API token is missing/
    ]
  ])('report in the comment that %s', async (_, vlan, change, said) => {
    const { hub, ...walk } = await town()
    walk.open(7)
    const jobs = await walk.planOf(7, checkout(vlan), 'aaa', change)
    expect(resultsOf(jobs)).toMatchObject({ plan: 'failure', comment: 'success' })
    expect(hub.state.comments[0]?.body).toMatch(said)
    expect(hub.state.comments[0]?.body).toContain('[The run](https://github.com/acme/wifi/')
  })

  it('leave the issue about drift unchanged if the check itself failed', async () => {
    const { simulator, hub, ...walk } = await town()
    simulator.edit(HQ, CORP, { vlan_id: 99 })
    await walk.drift(20)
    const before = hub.state.issues
    expect(before).toHaveLength(1)
    simulator.set({ fail: [{ answer: { status: 403 }, times: 'always' }] })
    expect(resultsOf(await walk.drift(20))).toEqual({ drift: 'failure', issue: 'success' })
    expect(hub.state.issues.slice(0, 1)).toEqual(before)
  })

  it('pass each secret to the steps that need it, and print none', async () => {
    const { simulator, hub, ...walk } = await town()
    walk.open(7)
    const jobs = {
      ...(await walk.plan(7, 21, 'aaa')),
      ...(await walk.apply(21, 'direct', unapproved)),
      ...(await walk.drift(21))
    }
    const givenTo = (value: string) =>
      Object.entries(jobs).flatMap(([id, { given }]) =>
        Object.entries(given)
          .filter(([, env]) => JSON.stringify(env).includes(value))
          .map(([step]) => `${id}: ${step}`)
      )
    expect(givenTo(PSK)).toEqual(['apply: Apply'])
    expect(givenTo(simulator.token)).toEqual([
      'plan: Plan',
      'apply: Apply',
      'drift: Check',
      'drift: Take a snapshot'
    ])
    const scanner = new Scanner([
      { name: 'psk', value: PSK },
      { name: 'live psk', value: 'test-psk-123' },
      { name: 'token', value: simulator.token }
    ])
    const logs = Object.entries(jobs).map(([id, { log, summary }]) => [id, log + summary])
    const outputs = { ...Object.fromEntries(logs), hub: JSON.stringify(hub.state) }
    expect(scanner.scan(outputs)).toEqual([])
  })
})

describe('the base of a run', () => {
  /** A checkout of a merge: its first parent declares `dtim`, which the merge removes. */
  function merged(vlan: number): string {
    const files = checkout(vlan)
    const text = readFileSync(join(files, 'sites/hq.yaml'), 'utf8')
    writeFileSync(join(files, 'sites/hq.yaml'), text.replace('ssid: Guest', 'ssid: Guest, dtim: 2'))
    repository(files)
    writeFileSync(join(files, 'sites/hq.yaml'), text)
    commit(files)
    return files
  }

  it('is that of the pull request: the comment lists removed declarations and drift', async () => {
    const { simulator, hub, ...walk } = await town()
    simulator.edit(HQ, CORP, { vlan_id: 99 })
    walk.open(7)
    expect(resultsOf(await walk.planOf(7, merged(21), 'aaa'))).toMatchObject({ plan: 'success' })
    const body = hub.state.comments[0]?.body
    expect(body).toContain('#### No longer declared')
    expect(body).toContain('HEAD^1:sites/hq.yaml:')
    expect(body).toContain('drift, goes back with this change')
    await walk.drift(21)
    const jobs = await walk.planFromForkOf(8, merged(22))
    expect(jobs['plan-on-snapshot']?.summary).toContain('#### No longer declared')
  })

  it('is the commit before the push', async () => {
    const { simulator, ...walk } = await town()
    const files = merged(21)
    const before = git(files, 'rev-parse', 'HEAD^1')
    const jobs = await walk.applyOf(files, 'any', { before, ...unapproved })
    expect(resultsOf(jobs)).toMatchObject({ apply: 'success' })
    expect(jobs['apply']?.log).toContain('NO_LONGER_DECLARED')
    expect(simulator.record(HQ, CORP)['vlan_id']).toBe(21)
  })

  it('is omitted if the checkout does not contain it', async () => {
    const { hub, ...walk } = await town()
    walk.open(7)
    const jobs = await walk.plan(7, 21, 'aaa')
    expect(jobs['plan']).toMatchObject({
      result: 'success',
      log: expect.stringContaining('::notice::The checkout does not have the base')
    })
    expect(hub.state.comments[0]?.body).not.toContain('goes back with')
  })
})
