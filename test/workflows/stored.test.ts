import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { commit, git, repository } from '../support/git.ts'
import { desk } from './fake/script.ts'

const main = { repository_id: 1, head_repository_id: 1, head_branch: 'main', head_sha: 'aaa' }

describe('stored-snapshot.sh', () => {
  const env = { DEFAULT_BRANCH: 'main' }

  it('downloads the newest snapshot that the default branch of this repository stored', async () => {
    const { hub, run, write, read } = desk()
    const runs = [
      main,
      main,
      { ...main, head_repository_id: 2 },
      { ...main, head_branch: 'change' }
    ]
    for (const [at, workflowRun] of runs.entries()) {
      const file = write(`made/${at}/snapshot.json`, String(at))
      hub.store('wlanctl-snapshot-fleet', [file], { ...workflowRun, id: at })
    }
    expect(await run('scripts/stored-snapshot.sh', env)).toMatchObject({ outputs: { found: '1' } })
    expect(read('temp/snapshot/snapshot.json')).toBe('1')
  })

  it('reports a missing or expired snapshot', async () => {
    const { hub, run, write } = desk()
    hub.store('wlanctl-snapshot-fleet', [write('snapshot.json', '')], { ...main, id: 1 })
    hub.change(({ artifacts }) => {
      for (const artifact of artifacts) Object.assign(artifact, { expired: true })
    })
    const result = await run('scripts/stored-snapshot.sh', env)
    expect(result).toMatchObject({ code: 0, outputs: { found: '0' } })
  })
})

describe('approval.sh', () => {
  const env = { COMMIT: 'merged', DEFAULT_BRANCH: 'main' }
  const pull = {
    number: 7,
    merged_at: '2026-11-20T10:00:00Z',
    merge_commit_sha: 'merged',
    head: { sha: 'aaa' },
    base: { ref: 'main' }
  }
  const at = (tip: string) => {
    const made = desk()
    made.hub.quicken()
    made.hub.change(state => Object.assign(state, { tip, pulls: { merged: [pull] } }))
    return made
  }

  it.each([
    ['merged by this commit', pull, '7'],
    ['still open', { ...pull, merged_at: null }, ''],
    ['merged by another commit', { ...pull, merge_commit_sha: 'other' }, ''],
    ['merged into another branch', { ...pull, base: { ref: 'other' } }, '']
  ])('finds a pull request %s', async (_, found, number) => {
    const { hub, run } = at('merged')
    hub.change(({ pulls }) => Object.assign(pulls, { merged: [found] }))
    const result = await run('scripts/approval.sh', env)
    expect(result).toMatchObject({ code: 0, outputs: { 'pull-requests': number } })
  })

  it.each([
    ['its last commit', main, true],
    ['an earlier commit', { ...main, head_sha: 'older' }, false],
    ['a fork with the same commit id', { ...main, head_repository_id: 2 }, false]
  ])('finds the plan of %s', async (_, workflowRun, isTaken) => {
    const { hub, run, write } = at('merged')
    hub.store('wlanctl-plan-fleet', [write('plan.json', '{}')], { ...workflowRun, id: 1 })
    const strict = await run('scripts/approval.sh', { ...env, REQUIRE_PLAN: 'true' })
    expect(strict.code).toBe(isTaken ? 0 : 1)
    expect(await run('scripts/approval.sh', env)).toMatchObject({ code: 0 })
  })

  it('rejects a commit that is not the last one of the branch, for any inputs', async () => {
    const { run, read } = at('newer')
    const { code, log, outputs } = await run('scripts/approval.sh', env)
    expect({ code, outputs }).toMatchObject({ code: 1, outputs: { 'pull-requests': '7' } })
    expect(log).toMatch(
      /^::error title=wlanctl::Apply: refused.*merged is not the last commit of main/m
    )
    expect(read('temp/results/report.md')).toContain('The run of newer applies this change, too.')
  })

  it('reports that GitHub does not respond', async () => {
    const { hub, run, read } = at('merged')
    const failure = { matching: 'commits/merged/pulls', times: 9, problem: 'HTTP 502: Bad Gateway' }
    hub.change(({ failures }) => void failures.push(failure))
    expect(await run('scripts/approval.sh', env)).toMatchObject({ code: 1 })
    expect(read('temp/results/report.md')).toContain('GitHub did not answer')
  })

  it('finds each pull request since the commit that was applied last, or before the push', async () => {
    const { hub, run, write, cwd, read, temp } = at('?')
    write('checkout/file', '')
    repository(cwd)
    const commits = Array.from({ length: 4 }, () => {
      commit(cwd)
      return git(cwd, 'rev-parse', 'HEAD')
    })
    const [first = '', second = '', third = '', COMMIT = ''] = commits
    hub.change(state => {
      state.tip = COMMIT
      for (const [n, sha] of commits.entries()) {
        state.pulls[sha] = [
          { ...pull, number: n + 1, merge_commit_sha: sha, head: { sha: `head${n + 1}` } }
        ]
      }
    })
    for (const n of [2, 3, 4]) {
      const file = write(`plans/${n}/plan.json`, `{"of": ${n}}`)
      hub.store('wlanctl-plan-fleet', [file], { ...main, id: n, head_sha: `head${n}` })
    }
    const inputs = { ...env, COMMIT, REQUIRE_PLAN: 'true' }
    const pushed = await run('scripts/approval.sh', { ...inputs, BASE: third })
    expect(pushed).toMatchObject({ code: 0, outputs: { 'pull-requests': '4', base: third } })
    // Only earlier commits, and only runs of the branch, count as applied.
    for (const [id, head_sha, head_branch] of [
      [10, first, 'main'],
      [11, third, 'change'],
      [12, COMMIT, 'main']
    ] as const) {
      const run = { ...main, id, head_sha, head_branch }
      hub.store('wlanctl-applied-fleet', [write('record.jsonl', '')], run)
    }
    const since = await run('scripts/approval.sh', { ...inputs, BASE: third })
    expect(since).toMatchObject({ code: 0, outputs: { 'pull-requests': '4 3 2', base: first } })
    expect(read('temp/approval/2/plan.json')).toContain('2')
    hub.change(({ artifacts }) => {
      for (const each of artifacts) {
        if (each.workflow_run.head_sha === 'head3') Object.assign(each, { expired: true })
      }
    })
    rmSync(join(temp, 'approval'), { recursive: true })
    const gone = await run('scripts/approval.sh', { ...inputs, BASE: second })
    expect({ code: gone.code, log: gone.log }).toEqual({
      code: 1,
      log: expect.stringContaining('There is no plan of the last commit of #3: it has expired')
    })
  })
})
