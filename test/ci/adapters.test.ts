import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { MAX_CALLS, MAX_DOWNLOAD, MAX_PAGES } from '../../src/ci/forge.ts'
import { folder } from '../support/program.ts'
import { kinds, startForge, type TestForge } from './forge/forge.ts'
import { all, forgeOf } from './forge/open.ts'
import type { Fault } from './forge/server.ts'
import { zip } from './forge/zip.ts'

const FILES = { 'sites/hq.yaml': 'site: 1\n', 'sites/lab.yaml': 'site: 2\n' }

const start = (kind: (typeof kinds)[number]) => startForge(kind, FILES)

/** A pull request with another text of a file. */
const open = (forge: TestForge, text = 'site: 3\n', isFork = false) =>
  forge.openPullRequest({ files: { 'sites/hq.yaml': text }, isFork })

/** The texts of all comments on a pull request. */
const commentsOn = (forge: TestForge, number: number) =>
  forge.state.pull(number)?.comments.map(({ body }) => body)

describe.each(kinds)('%s', kind => {
  describe('the run of this process', () => {
    test('of a pull request', async () => {
      const forge = await start(kind)
      const pull = open(forge)
      const job = forge.start('plan', { pull })
      expect((await forgeOf(job)).run).toMatchObject({
        id: String(job.run.id),
        attempt: kind === 'github' ? 1 : job.job.id,
        event: 'pull_request',
        workflow: job.run.workflow,
        commit: pull.head,
        branch: pull.branch,
        isFork: false,
        repository: 'acme/wifi',
        defaultBranch: 'main',
        pull: { number: pull.number, targetCommit: forge.tip }
      })
    })

    test.each([
      ['apply', 'push'],
      ['drift', 'schedule'],
      ['drift', 'manual']
    ] as const)('of %s: %s', async (workflow, event) => {
      const forge = await start(kind)
      const job = forge.start(workflow, { event })
      const again = forge.rerun(job)
      const { run } = await forgeOf(again)
      expect(run).toMatchObject({ event, commit: forge.tip, branch: 'main', pull: undefined })
      expect(run.id).toBe(String(job.run.id))
      expect(run.attempt).toBe(kind === 'github' ? 2 : again.job.id)
    })

    test('keeps credentials from what it starts, but not the identity of the job', async () => {
      const forge = await start(kind)
      const credentials = {
        WLANCTL_FORGE_TOKEN: forge.token,
        GH_TOKEN: forge.token,
        WLANCTL_GITLAB_TOKEN: forge.token,
        CI_JOB_TOKEN: 'planted-job-token',
        CI_REPOSITORY_URL: 'https://gitlab-ci-token:planted@gitlab.test/acme/wifi.git'
      }
      const kept = { ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'of-the-vault', WLAN_SECRET_GUEST: 'psk' }
      const { childEnvironment } = await forgeOf(forge.start('apply'), { ...credentials, ...kept })
      expect(childEnvironment).toMatchObject(kept)
      expect(JSON.stringify(childEnvironment)).not.toMatch(/planted/)
    })
  })

  describe('its connection', () => {
    const ADDRESS = kind === 'github' ? 'GITHUB_API_URL' : 'CI_API_V4_URL'
    const TOKEN = kind === 'github' ? 'GITHUB_TOKEN' : 'WLANCTL_GITLAB_TOKEN'

    test('goes through the proxy of the environment', async () => {
      const asked: (string | undefined)[] = []
      const proxy = createServer()
      proxy.on('connect', ({ url }, socket) => {
        asked.push(url)
        socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
      })
      await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))
      onTestFinished(() => void proxy.close())
      const { port } = proxy.address() as AddressInfo
      const forge = await start(kind)
      const env = { [ADDRESS]: 'https://forge.test/api', https_proxy: `http://127.0.0.1:${port}` }
      const opened = await forgeOf(forge.start('apply'), env)
      await expect(opened.findRun('1')).rejects.toThrow(/did not answer GET .*proxy/)
      expect(new Set(asked)).toEqual(new Set(['forge.test:443']))
    })

    test.each([
      ['an address without https', { [ADDRESS]: 'http://forge.test/api' }, /is not https/],
      ['an address that is none', { [ADDRESS]: 'forge' }, /is not a URL/],
      ['no token', { [TOKEN]: '' }, /there is no token of Git/],
      ['no verification', { NODE_TLS_REJECT_UNAUTHORIZED: '0' }, /unverified host/],
      ['no forge', { GITHUB_ACTIONS: '', GITLAB_CI: '' }, /not a job of GitHub Actions or GitLab/]
    ])('needs more than %s', async (_, env, problem) => {
      const forge = await start(kind)
      const opened = forgeOf(forge.start('apply'), env)
      await expect(opened).rejects.toMatchObject({
        exitCode: 3,
        message: expect.stringMatching(problem)
      })
      expect(forge.server.calls).toEqual([])
    })
  })

  describe('runs', () => {
    test('of a pull request are those of its last commit', async () => {
      const forge = await start(kind)
      const pull = open(forge)
      forge.start('plan', { pull })
      forge.push(pull, { 'sites/hq.yaml': 'site: 4\n' })
      const second = forge.start('plan', { pull })
      const third = forge.start('plan', { pull })
      const port = await forgeOf(third)
      const [found] = await all(port.openPullRequests())
      if (found === undefined) throw new Error('no pull request')
      expect((await all(port.runsOf(found))).map(({ id }) => Number(id))).toEqual([
        third.run.id,
        second.run.id
      ])
      expect(await port.findRun(String(second.run.id))).toMatchObject({
        event: 'pull_request',
        workflow: second.run.workflow,
        commit: pull.head,
        branch: pull.branch,
        isFork: false
      })
    })

    test('of a fork say so', async () => {
      const forge = await start(kind)
      const pull = open(forge, 'site: 5\n', true)
      forge.start('plan', { pull })
      const port = await forgeOf(forge.start('apply'))
      const [found] = await all(port.openPullRequests())
      if (found === undefined) throw new Error('no pull request')
      expect(found.isFork).toBe(true)
      expect((await all(port.runsOf(found))).map(({ isFork }) => isFork)).toEqual([true])
    })

    test.runIf(kind === 'gitlab').each([true, false])(
      'of the default branch, for a fork without a token, if they are public: %s',
      async isPublic => {
        const forge = await start(kind)
        forge.state.isPublic = isPublic
        const check = forge.start('drift')
        forge.store(check.job, 'wlanctl-drift-fleet', zip([file('snapshot.json')]))
        const pull = open(forge, 'site: 5\n', true)
        const port = await forgeOf(forge.start('plan', { pull }))
        const runs = await all(port.runsOfBranch('.gitlab-ci.yml'))
        expect(runs.map(({ id }) => Number(id))).toEqual(isPublic ? [check.run.id] : [])
        for (const run of runs) {
          const [artifact] = await port.artifacts(run, 'wlanctl-drift-fleet-')
          if (artifact === undefined) throw new Error('no artifact')
          expect(await port.download(artifact, ['snapshot.json'], folder())).toHaveLength(1)
        }
        await expect(port.ensureComment(pull.number, 't', () => 'x')).rejects.toThrow(/with 404/)
      }
    )

    test('of the default branch are the newest first', async () => {
      const forge = await start(kind)
      const first = forge.start('drift')
      forge.start('plan', { pull: open(forge) })
      const second = forge.start('drift')
      const port = await forgeOf(second)
      const runs = await all(port.runsOfBranch(second.run.workflow))
      expect(runs.map(({ id }) => Number(id))).toEqual([second.run.id, first.run.id])
      expect(runs[0]).toMatchObject({ event: 'schedule', commit: forge.tip, branch: 'main' })
    })

    test('which the forge does not have are none', async () => {
      const forge = await start(kind)
      const port = await forgeOf(forge.start('plan', { pull: open(forge) }))
      expect(await port.findRun('1')).toBeUndefined()
      expect(await port.findRun('no number')).toBeUndefined()
      expect(await all(port.runsOfBranch('.github/workflows/absent.yml'))).toEqual([])
    })
  })

  describe('artifacts', () => {
    test('of all attempts have those files that are asked for', async () => {
      const forge = await start(kind)
      const job = forge.start('apply')
      forge.write(job, { 'record.jsonl': 'one\n', 'report.md': 'first' })
      forge.finish(job, 'wlanctl-record-fleet')
      const again = forge.rerun(job)
      forge.write(again, { 'record.jsonl': 'two\n' })
      forge.finish(again, 'wlanctl-record-fleet')
      const port = await forgeOf(forge.rerun(again))
      const artifacts = await port.artifacts(port.run, 'wlanctl-record-fleet-')
      expect(artifacts).toHaveLength(2)
      const texts = artifacts.map(async artifact => {
        const into = join(folder(), 'new')
        const names = await port.download(artifact, ['record.jsonl', 'outcomes.json'], into)
        expect(names).toEqual(['record.jsonl'])
        expect(existsSync(join(into, 'report.md'))).toBe(false)
        return readFileSync(join(into, 'record.jsonl'), 'utf8')
      })
      expect(await Promise.all(texts)).toEqual(['two\n', 'one\n'])
      expect(await port.artifacts(port.run, 'wlanctl-plan-')).toEqual([])
      // The storage is another host.
      expect(forge.server.storageTokens).toEqual([undefined, undefined])
    })

    test('that have expired are listed, and cannot be read', async () => {
      const forge = await start(kind)
      const job = forge.start('apply')
      const stored = forge.store(job.job, 'wlanctl-record-fleet', zip([]))
      const port = await forgeOf(job)
      const [fresh] = await port.artifacts(port.run, 'wlanctl-record-fleet-')
      stored.isExpired = true
      const [expired] = await port.artifacts(port.run, 'wlanctl-record-fleet-')
      if (fresh === undefined || expired === undefined) throw new Error('no artifact')
      expect(expired.isExpired).toBe(true)
      for (const artifact of [fresh, expired]) {
        await expect(port.download(artifact, ['record.jsonl'], folder())).rejects.toThrow(
          /the artifact wlanctl-record-fleet-\d+ has expired/
        )
      }
    })

    const large = 'x'.repeat(1000)
    test.each([
      [
        'leaves its folder',
        zip([{ name: '../plan.json', content: '' }]),
        /not usable: .*relative path/
      ],
      ['is absolute', zip([{ name: '/etc/plan.json', content: '' }]), /not usable: absolute path/],
      ['has backslashes', zip([{ name: 'a\\plan.json', content: '' }]), /not usable: .*characters/],
      ['is there twice', zip([file('plan.json'), file('x/plan.json')]), /two entries of one name/],
      [
        'is longer than it says',
        zip([{ ...file('plan.json', large), size: 10 }]),
        /too many bytes/
      ],
      ['is shorter than it says', zip([{ ...file('plan.json', large), size: 2000 }]), /not enough/],
      [
        'claims a gigabyte',
        zip([{ ...file('plan.json'), size: 2 ** 30 }]),
        /holds 1073741824 bytes/
      ],
      ['has a wrong checksum', zip([{ ...file('plan.json'), sum: 1 }]), /checksum/],
      ['is one of many', zip(Array.from({ length: 1001 }, (_, n) => file(`${n}`))), /1001 entries/],
      ['is in no archive', Buffer.from('<html>'), /not usable/],
      ['is in an archive cut short', zip([file('plan.json', large)]).subarray(0, 90), /not usable/]
    ])('with a file that %s write nothing', async (_, archive, problem) => {
      const forge = await start(kind)
      const job = forge.start('apply')
      forge.store(job.job, 'wlanctl-plan-fleet', archive)
      const port = await forgeOf(job)
      const [artifact] = await port.artifacts(port.run, 'wlanctl-plan-')
      if (artifact === undefined) throw new Error('no artifact')
      const into = join(folder(), 'new')
      await expect(port.download(artifact, ['plan.json'], into)).rejects.toThrow(problem)
      expect(existsSync(into)).toBe(false)
    })

    test('that are too large are not read to their end, whatever the forge says', async () => {
      const forge = await start(kind)
      const job = forge.start('apply')
      const stored = forge.store(job.job, 'wlanctl-plan-fleet', zip([]))
      stored.isEndless = true
      const port = await forgeOf(job)
      const read = async () => {
        const [artifact] = await port.artifacts(port.run, 'wlanctl-plan-')
        if (artifact === undefined) throw new Error('no artifact')
        return port.download(artifact, ['plan.json'], folder())
      }
      await expect(read()).rejects.toThrow(/longer than 64 MiB/)
      stored.size = MAX_DOWNLOAD + 1
      await expect(read()).rejects.toThrow(/too large: 67108865 bytes/)
    })
  })

  test('deployments say what made them, and belong to a fleet', async () => {
    const forge = await start(kind)
    const job = forge.start('apply')
    const port = await forgeOf(job)
    const first = await port.startDeployment('emea', 'production')
    await port.endDeployment(first, 'failure', 'https://pages.test/report')
    const later = await forgeOf(forge.start('apply'))
    await later.startDeployment('apac', 'production')
    await later.startDeployment('emea', 'staging')
    const found = await all((await forgeOf(job)).deployments('emea'))
    expect(found).toEqual([
      expect.objectContaining({
        commit: forge.tip,
        run: { id: later.run.id, attempt: later.run.attempt }
      }),
      first
    ])
    expect(forge.state.deployments.map(({ statuses }) => statuses.at(-1)?.state)).toEqual(
      kind === 'github'
        ? ['failure', 'in_progress', 'in_progress']
        : ['failed', 'running', 'running']
    )
  })

  test('deployments of other tools are none', async () => {
    const forge = await start(kind)
    const sha = forge.tip
    const environment = 'production/fleet'
    forge.state.addDeployment({ environment, sha, task: 'deploy', payload: {} }, 'success')
    const foreign = { run: 'x', command: 'rm' }
    forge.state.addDeployment(
      { environment, sha, task: 'wlanctl:fleet', payload: foreign },
      'success'
    )
    const job = forge.start('apply')
    expect(await all((await forgeOf(job)).deployments('fleet'))).toEqual([])
  })

  test.runIf(kind === 'gitlab')(
    'a comment of another user says nothing about deployments',
    async () => {
      const forge = await start(kind)
      const sha = forge.tip
      const named = { environment: 'production/fleet', sha, task: '', payload: undefined }
      const { id } = forge.state.addDeployment(named, 'success')
      const payload = { run: '7', attempt: 1 }
      const body = `<!-- wlanctl:deployment:${id} ${JSON.stringify(payload)} -->`
      const author = { id: 99, login: 'stranger' }
      forge.state.commitComments.set(sha, [{ id: 1, author, body }])
      const port = await forgeOf(forge.start('apply'))
      expect(await all(port.deployments('fleet'))).toEqual([])
    }
  )

  describe('pull requests', () => {
    test.each(['merge', 'squash', 'rebase'] as const)('merged by %s', async method => {
      const forge = await start(kind)
      const pull = open(forge)
      forge.push(pull, { 'sites/lab.yaml': 'site: 9\n' })
      forge.pushToMain({ 'README.md': 'Read\n' })
      const head = pull.head
      const tip = forge.merge(pull, method)
      const port = await forgeOf(forge.start('apply'))
      const merged = await port.mergedBy(tip)
      expect(merged).toEqual([
        expect.objectContaining({
          number: pull.number,
          head: kind === 'gitlab' && method === 'rebase' ? tip : head,
          mergeCommit: tip,
          merged: pull.mergedAt,
          isFork: false
        })
      ])
      expect(await all(port.openPullRequests())).toEqual([])
    })

    test('of a commit that came without one are none', async () => {
      const forge = await start(kind)
      const pull = open(forge)
      const tip = forge.pushToMain({ 'README.md': 'Read\n' })
      const port = await forgeOf(forge.start('apply'))
      expect(await port.mergedBy(tip)).toEqual([])
      // It is open.
      expect(await port.mergedBy(pull.head)).toEqual([])
    })

    test('of a merge queue are found by their own merges', async () => {
      const forge = await start(kind)
      const pulls = [open(forge), forge.openPullRequest({ files: { 'new.yaml': 'new\n' } })]
      forge.mergeQueue(pulls)
      const port = await forgeOf(forge.start('apply'))
      for (const pull of pulls) {
        const [found] = await port.mergedBy(pull.mergeCommit ?? '')
        expect(found?.number).toBe(pull.number)
      }
    })
  })

  test('ancestors', async () => {
    const forge = await start(kind)
    const before = forge.tip
    const pull = open(forge)
    const side = pull.head
    const after = forge.pushToMain({ 'README.md': 'Read\n' })
    const port = await forgeOf(forge.start('apply'))
    expect(await port.isAncestor(before, after)).toBe(true)
    expect(await port.isAncestor(after, after)).toBe(true)
    expect(await port.isAncestor(after, before)).toBe(false)
    expect(await port.isAncestor(side, after)).toBe(false)
    expect(await port.isAncestor('f'.repeat(40), after)).toBe(false)
  })

  describe('comments', () => {
    test('of a topic are written once, then edited', async () => {
      const forge = await start(kind)
      const pull = open(forge)
      const write = (text: string) => (earlier?: string) => `${earlier ?? ''}${text}\n`
      const first = await forgeOf(forge.start('plan', { pull }))
      await first.ensureComment(pull.number, 'plan:fleet', write('one'))
      await first.ensureComment(pull.number, 'apply:fleet', write('other'))
      const second = await forgeOf(forge.start('plan', { pull }))
      await second.ensureComment(pull.number, 'plan:fleet', write('two'))
      expect(commentsOn(forge, pull.number)).toEqual([
        '<!-- wlanctl:plan:fleet -->\none\ntwo\n',
        '<!-- wlanctl:apply:fleet -->\nother\n'
      ])
    })

    test('of another user with our topic stay', async () => {
      const forge = await start(kind)
      const pull = open(forge)
      const author = { id: 99, login: 'stranger' }
      forge.state.addComment(pull.comments, author, '<!-- wlanctl:plan:fleet -->\nApproved!')
      const port = await forgeOf(forge.start('plan', { pull }))
      await port.ensureComment(pull.number, 'plan:fleet', earlier => `Not: ${earlier}`)
      expect(commentsOn(forge, pull.number)).toEqual([
        '<!-- wlanctl:plan:fleet -->\nApproved!',
        '<!-- wlanctl:plan:fleet -->\nNot: undefined'
      ])
    })

    test('are found among more than one page', async () => {
      const forge = await start(kind)
      const pull = open(forge)
      const author = { id: 99, login: 'stranger' }
      const port = await forgeOf(forge.start('plan', { pull }))
      for (let n = 0; n < 150; n += 1) forge.state.addComment(pull.comments, author, `Talk ${n}`)
      await port.ensureComment(pull.number, 'plan:fleet', () => 'one')
      await port.ensureComment(pull.number, 'plan:fleet', () => 'two')
      expect(commentsOn(forge, pull.number)?.slice(150)).toEqual([
        '<!-- wlanctl:plan:fleet -->\ntwo'
      ])
    })

    test('with more characters than the forge accepts are not sent', async () => {
      const forge = await start(kind)
      const pull = open(forge)
      const port = await forgeOf(forge.start('plan', { pull }))
      const rest = port.maxBody - '<!-- wlanctl:t -->\n'.length
      await port.ensureComment(pull.number, 't', () => 'x'.repeat(rest))
      await expect(
        port.ensureComment(pull.number, 't', () => 'x'.repeat(rest + 1))
      ).rejects.toThrow(`a body of ${port.maxBody + 1} characters`)
      expect(commentsOn(forge, pull.number)?.map(({ length }) => length)).toEqual([port.maxBody])
    })

    test.runIf(kind === 'gitlab')('execute no quick action', async () => {
      const forge = await start(kind)
      const pull = open(forge)
      const port = await forgeOf(forge.start('plan', { pull }))
      await port.ensureComment(pull.number, 't', () => 'Text\n/merge\n  /close\na/b\n')
      await port.ensureComment(pull.number, 't', earlier => earlier ?? '')
      expect(commentsOn(forge, pull.number)).toEqual([
        '<!-- wlanctl:t -->\nText\n\\/merge\n  \\/close\na/b\n'
      ])
    })
  })

  test('issues of a topic: open, find, edit, comment, close', async () => {
    const forge = await start(kind)
    const author = { id: 99, login: 'stranger' }
    const body = '<!-- wlanctl:drift:fleet -->\nFake'
    forge.state.addIssue({ author, title: 'Drift', body })
    const port = await forgeOf(forge.start('drift'))
    expect(await port.findIssue('drift:fleet')).toBeUndefined()
    const texts = { title: 'Drift: fleet', body: 'Two WLANs\n' }
    await port.openIssue('drift:fleet', texts)
    const found = await port.findIssue('drift:fleet')
    if (found === undefined) throw new Error('no issue')
    expect(found.body).toBe('Two WLANs\n')
    await port.editIssue(found, 'Three WLANs\n')
    await port.commentOnIssue(found, 'One more')
    const issue = forge.state.issue(found.number)
    expect(issue).toMatchObject({
      title: 'Drift: fleet',
      body: '<!-- wlanctl:drift:fleet -->\nThree WLANs\n',
      state: 'open',
      comments: [expect.objectContaining({ body: 'One more' })]
    })
    await port.closeIssue(found)
    expect(issue?.state).toBe('closed')
    expect(await port.findIssue('drift:fleet')).toBeUndefined()
  })

  test('the summary of a job has its reports', async () => {
    const forge = await start(kind)
    const job = forge.start('drift')
    await (await forgeOf(job)).writeSummary('### Drift')
    expect(job.summary()).toBe(kind === 'github' ? '### Drift\n' : '')
  })

  describe('what goes wrong', () => {
    const LISTS = kind === 'github' ? /GET .*\/pulls$/ : /GET .*\/merge_requests$/

    const listWith = async (fault: Omit<Fault, 'matching'>, token?: string) => {
      const forge = await start(kind)
      open(forge)
      const job = forge.start('apply')
      const name = kind === 'github' ? 'GITHUB_TOKEN' : 'WLANCTL_GITLAB_TOKEN'
      const port = await forgeOf(job, token === undefined ? {} : { [name]: token })
      forge.server.faults.push({ matching: LISTS, ...fault })
      const count = () => forge.server.calls.filter(call => LISTS.test(call)).length
      const listed = await all(port.openPullRequests()).catch((error: unknown) => error)
      return { listed, calls: count() }
    }

    const limit =
      kind === 'github'
        ? { 'x-ratelimit-remaining': '0', 'x-ratelimit-limit': '5000', 'x-ratelimit-reset': '0' }
        : { 'retry-after': '1' }
    test.each<[string, Omit<Fault, 'matching'>, number]>([
      ['three 502s', { times: 3, status: 502 }, 4],
      ['a 503', { times: 1, status: 503 }, 2],
      ['two rate limits', { times: 2, status: kind === 'github' ? 403 : 429, headers: limit }, 3],
      ['a connection that ends', { times: 1, hangsUp: true }, 2]
    ])('%s: retried', async (_, fault, expected) => {
      const { listed, calls } = await listWith(fault)
      expect(listed).toHaveLength(1)
      expect(calls).toBe(expected)
    })

    test.each<[string, Omit<Fault, 'matching'>, number, RegExp]>([
      [
        'four 502s',
        { times: 9, status: 502, body: { message: 'Server Error' } },
        4,
        /answered GET .*(?:pulls|merge_requests) with 502: Server Error$/
      ],
      [
        'a page of a proxy',
        { times: 9, status: 502, headers: { 'content-type': 'text/html' }, body: '<html>' },
        4,
        /with 502/
      ],
      [
        'a refusal',
        { times: 9, status: 403, body: { message: 'Resource not accessible' } },
        1,
        /with 403: Resource not accessible$/
      ],
      [
        'a rate limit of an hour',
        {
          times: 9,
          status: 429,
          headers:
            kind === 'github'
              ? { ...limit, 'x-ratelimit-reset': String(Math.ceil(Date.now() / 1000) + 3600) }
              : { 'retry-after': '3600' }
        },
        1,
        /with 429$/
      ],
      [
        'no connection',
        { times: 9, hangsUp: true },
        4,
        /did not answer GET .*closed the connection/
      ]
    ])('%s: reported with its reason', async (_, fault, expected, problem) => {
      const { listed, calls } = await listWith(fault)
      expect(listed).toMatchObject({ name: 'ForgeError', exitCode: 1 })
      expect(String(listed)).toMatch(problem)
      expect(calls).toBe(expected)
    })

    test('a wrong token is not in the message, even if the forge repeats it', async () => {
      const token = 'planted-wrong-token-0123456789'
      const body = { message: `Bad credentials: ${token}` }
      const { listed } = await listWith({ times: 9, status: 401, body }, token)
      expect(String(listed)).toMatch(/with 401: Bad credentials: \(secret\)$/)
      expect(listed).toMatchObject({ hint: 'the token is wrong or has expired' })
    })

    test('an answer that is no list', async () => {
      const { listed } = await listWith({ times: 1, status: 200, body: 'Welcome to the hotel' })
      expect(String(listed)).toMatch(/unexpected response to GET .*: expected JSON$/)
    })

    test('a list that leads to itself ends, with each entry once', async () => {
      const next = `/${kind === 'github' ? '' : 'api/v4/'}loop`
      const { listed, calls } = await listWith({ next })
      expect(String(listed)).toMatch(/not followed|with 404/)
      expect(calls).toBe(1)
    })

    test('a list that leads to another host is not followed', async () => {
      const other = await start(kind)
      const { listed, calls } = await listWith({ next: `${other.server.url}/repos/x` })
      expect(String(listed)).toMatch(/refers to another host \(127\.0\.0\.1:\d+\): not followed/)
      expect(calls).toBe(1)
      expect(other.server.calls).toEqual([])
    })

    test(`a list without an end is read for ${MAX_PAGES} pages`, async () => {
      const forge = await start(kind)
      const common = { title: 'T', body: '', isFork: false, head: forge.tip }
      for (let n = 0; n < 1050; n += 1) forge.state.addPull({ ...common, branch: `b${n}` })
      const port = await forgeOf(forge.start('apply'))
      expect(await all(port.openPullRequests())).toHaveLength(MAX_PAGES * 100)
    })

    test(`a run makes at most ${MAX_CALLS} calls`, async () => {
      const forge = await start(kind)
      const port = await forgeOf(forge.start('apply'))
      for (let n = 0; n < MAX_CALLS; n += 1) await port.findRun('1')
      await expect(port.findRun('1')).rejects.toThrow(`more than ${MAX_CALLS} calls`)
      expect(forge.server.calls).toHaveLength(MAX_CALLS)
    })

    test('a token that may only read cannot write, and the message says what it lacks', async () => {
      const forge = await start(kind)
      const name = kind === 'github' ? 'GITHUB_TOKEN' : 'WLANCTL_GITLAB_TOKEN'
      const pull = open(forge)
      const port = await forgeOf(forge.start('plan', { pull }), { [name]: forge.readToken })
      await expect(port.ensureComment(pull.number, 't', () => 'x')).rejects.toMatchObject({
        message: expect.stringContaining('with 403: Resource not accessible by integration'),
        hint: 'the token lacks a permission (issues=write)'
      })
    })
  })
})

function file(name: string, content = 'text') {
  return { name, content }
}
