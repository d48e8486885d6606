import { describe, expect, it } from 'vitest'
import { desk } from './fake/script.ts'

const main = { repository_id: 1, head_repository_id: 1, head_branch: 'main', head_sha: 'aaa' }

describe('stored-snapshot.sh', () => {
  const env = { DEFAULT_BRANCH: 'main' }

  it('takes the newest that the default branch of this repository made', async () => {
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

  it('says so where there is none, or none any more', async () => {
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

  it.each([
    ['merged by this commit', pull, '7'],
    ['still open', { ...pull, merged_at: null }, ''],
    ['merged by another commit', { ...pull, merge_commit_sha: 'other' }, ''],
    ['merged into another branch', { ...pull, base: { ref: 'other' } }, '']
  ])('a pull request %s', async (_, found, number) => {
    const { hub, run } = desk()
    hub.change(({ pulls }) => Object.assign(pulls, { merged: [found] }))
    const result = await run('scripts/approval.sh', env)
    expect(result).toMatchObject({ code: 0, outputs: { 'pull-request': number } })
  })

  it.each([
    ['its last commit', main, true],
    ['an earlier commit', { ...main, head_sha: 'older' }, false],
    ['a fork that calls its commit the same', { ...main, head_repository_id: 2 }, false]
  ])('the plan of %s', async (_, workflowRun, isTaken) => {
    const { hub, run, write } = desk()
    hub.change(({ pulls }) => Object.assign(pulls, { merged: [pull] }))
    hub.store('wlanctl-plan-fleet', [write('plan.json', '{}')], { ...workflowRun, id: 1 })
    const strict = await run('scripts/approval.sh', { ...env, REQUIRE_PLAN: 'true' })
    expect(strict.code).toBe(isTaken ? 0 : 1)
    expect(await run('scripts/approval.sh', env)).toMatchObject({ code: 0 })
  })
})
