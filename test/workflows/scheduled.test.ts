import { describe, expect, it } from 'vitest'
import { commit, git, repository } from '../support/git.ts'
import { desk } from './fake/script.ts'
import { workflow } from './fake/workflow.ts'

const main = { repository_id: 1, head_repository_id: 1, head_branch: 'main' }

/** A checkout of three commits, of which the run is at the last. */
function three() {
  const made = desk()
  made.hub.quicken()
  made.write('checkout/file', '')
  repository(made.cwd)
  const commits = Array.from({ length: 3 }, () => {
    commit(made.cwd)
    return git(made.cwd, 'rev-parse', 'HEAD')
  })
  const [first = '', second = '', third = ''] = commits
  const applied = (head_sha: string, id: number, change = {}) =>
    made.hub.store('wlanctl-applied-fleet', [made.write(`made/${id}/record.jsonl`, '')], {
      ...main,
      head_sha,
      id,
      ...change
    })
  const run = async () => {
    const { code, log } = await made.run('scripts/applied.sh', {
      DEFAULT_BRANCH: 'main',
      COMMIT: third
    })
    return { code, log, head: git(made.cwd, 'rev-parse', 'HEAD') }
  }
  return { first, second, third, applied, run }
}

describe('applied.sh', () => {
  it('checks out the newest commit whose apply began, not a merge that waits for its gate', async () => {
    const { first, second, applied, run } = three()
    applied(first, 1)
    applied(second, 2)
    expect(await run()).toMatchObject({ code: 0, head: second })
  })

  it.each([
    ['a fork', { head_repository_id: 2 }],
    ['another branch', { head_branch: 'change' }]
  ])('takes no word of %s for it', async (_, change) => {
    const { first, third, applied, run } = three()
    applied(first, 1)
    applied(third, 2, change)
    expect(await run()).toMatchObject({ code: 0, head: first })
  })

  it('sends nothing before a first apply', async () => {
    const { third, run } = three()
    const { code, log, head } = await run()
    expect([code, head]).toEqual([1, third])
    expect(log).toContain('No commit of main was applied yet')
  })
})

describe('scheduled.yml', () => {
  it('never runs at the same time as the apply of a merge, and leaves no mark of one', () => {
    const groupOf = (name: string) => workflow(name).jobs['apply']?.concurrency
    expect(groupOf('scheduled')).toEqual(groupOf('apply'))
    expect(JSON.stringify(workflow('scheduled'))).not.toContain('wlanctl-applied')
  })
})
