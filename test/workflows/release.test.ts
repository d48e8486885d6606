import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT, startCommand } from '../support/program.ts'
import { desk } from './fake/script.ts'
import { workflow } from './fake/workflow.ts'

/** A checkout of a release; `published` is true if npm has the package. */
function release(fields: object, { changelog = '## [1.2.3] - 2026-11-20', published = true } = {}) {
  const { write, command, cwd, bin } = desk()
  command('npm', `[[ $* == 'view wlanctl name' ]] && exit ${published ? 0 : 1}`)
  write('checkout/package.json', JSON.stringify({ name: 'wlanctl', version: '1.2.3', ...fields }))
  write('checkout/CHANGELOG.md', `# Changelog\n\n${changelog}\n`)
  const script = join(ROOT, '.github/scripts/release-check.mjs')
  const PATH = `${bin}:${process.env['PATH']}`
  return (env: Readonly<Record<string, string>> = {}) =>
    startCommand(process.execPath, [script], { cwd, env: { PATH, ...env } }).ended
}

const named = { repository: 'github:acme/wlanctl' }

describe('release:check', () => {
  it.each([
    'github:acme/wlanctl',
    'https://github.com/acme/wlanctl',
    { type: 'git', url: 'git+https://github.com/acme/wlanctl.git' },
    { url: 'git@github.com:acme/wlanctl.git' }
  ])('passes a complete release: %j', async repository => {
    const env = { GITHUB_REPOSITORY: 'Acme/wlanctl', TAG: 'v1.2.3' }
    expect(await release({ repository })(env)).toEqual({
      code: 0,
      stdout: 'wlanctl 1.2.3 can be released from acme/wlanctl\n',
      stderr: ''
    })
  })

  it.each<[string, Parameters<typeof release>, object, string]>([
    ['no repository', [{}], {}, 'package.json: expected "repository"'],
    ['no repository on GitHub', [{ repository: 'gitlab:a/b' }], {}, 'expected "repository"'],
    ['another repository', [named], { GITHUB_REPOSITORY: 'a/b' }, 'repository a/b, got acme/'],
    ['another tag', [named], { TAG: 'v1.2.4' }, 'the version of the tag v1.2.4, got 1.2.3'],
    ['no changes', [named, { changelog: '## [1.2.2]' }], {}, 'section "## [1.2.3]"'],
    ['no first version', [named, { published: false }], {}, 'by hand with a token']
  ])('fails for %s', async (_, of, env, problem) => {
    const { code, stderr } = await release(...of)({ ...env })
    expect(code).toBe(1)
    expect(stderr.trim().split('\n')).toEqual([expect.stringContaining(problem)])
  })

  it('lists everything that is missing', async () => {
    const { stderr } = await release({}, { changelog: '', published: false })({ TAG: 'v9.9.9' })
    expect(stderr.trim().split('\n')).toHaveLength(4)
  })

  it('runs before all other jobs of the release', () => {
    const { check, ...others } = workflow('release').jobs
    expect(check?.steps?.at(-1)?.run).toBe('exec npm run release:check')
    for (const job of Object.values(others)) expect(job.needs).toBeDefined()
  })
})
