import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { commit, git, gitEnv, repository } from '../support/git.ts'
import { PSK, type Stage, stage } from '../support/stage.ts'

const LAB = '5ac1dcf4-9d8b-4211-95c4-057819f0862b'

/** A fleet of two sites in a repository, below a folder of its own. */
async function committed(): Promise<Stage> {
  const made = await stage()
  made.write('fleet/lab.yaml', `site: { id: ${LAB}, name: lab }\nwlans: { w: { ssid: W } }\n`)
  repository(made.cwd)
  return made
}

/** The names of the selected sites, from the lines of `validate --verbose`. */
async function covered({ run }: Stage, revision = 'HEAD', more = '', env = {}) {
  const line = `snapshot fleet --changed-since ${revision} ${more}`.trim()
  const { code, stdout, stderr } = await run(line, { ...gitEnv, ...env })
  if (code === 3) return { code, stderr }
  const { sites, unread } = JSON.parse(stdout)
  const names = [...sites, ...unread].map(({ name }) => name).sort()
  return { code, names, stderr: stderr.split('\n')[0] }
}

/** The environment with this script as `git`. */
function withGit({ cwd, write }: Stage, script: string) {
  write('bin/git', `#!/bin/sh\n${script}\n`, 0o755)
  return { PATH: `${join(cwd, 'bin')}:${process.env['PATH']}` }
}

const editHq = ({ write, read }: Stage) =>
  write('fleet/hq.yaml', read('fleet/hq.yaml').replace('vlan_id: 21', 'vlan_id: 22'))

describe('--changed-since', () => {
  it('selects the sites whose declarations differ in the work tree', async () => {
    const made = await committed()
    editHq(made)
    expect(await covered(made)).toEqual({
      code: 0,
      names: ['hq'],
      stderr: 'wlanctl: 1 of 2 sites changed since HEAD'
    })
    expect(made.methods()).toEqual(['GET'])
  })

  it('gives an empty plan without a request if nothing changed', async () => {
    const { run, methods } = await committed()
    const { code, stdout, stderr } = await run('plan fleet --changed-since main', gitEnv)
    expect(stderr).toBe('wlanctl: none of 2 sites changed since main\n')
    expect(code).toBe(0)
    expect(stdout).toMatch(/No changes: this run covers no sites\n$/)
    const quiet = await run('apply fleet --yes --changed-since main --quiet', gitEnv)
    expect(quiet).toMatchObject({ code: 0, stderr: '' })
    expect(methods()).toEqual([])
  })

  it('accepts a branch, a tag, a commit, or an expression of one', async () => {
    const made = await committed()
    git(made.cwd, 'tag', '--annotate', '--message=One', 'v1')
    const first = git(made.cwd, 'rev-parse', 'HEAD')
    editHq(made)
    commit(made.cwd)
    for (const revision of ['v1', first, first.slice(0, 10), 'HEAD~1', 'HEAD^', '@~']) {
      expect(await covered(made, revision)).toMatchObject({ names: ['hq'] })
    }
    expect(await covered(made, 'main')).toMatchObject({ names: [] })
  })

  it('a saved plan has the commit', async () => {
    const made = await committed()
    await made.run('plan fleet --out plan.json', gitEnv)
    expect(JSON.parse(made.read('plan.json')).commit).toBe(git(made.cwd, 'rev-parse', 'HEAD'))
  })

  it('reads the folder of the fleet from any working directory', async () => {
    const made = await committed()
    made.write('other/lab.yaml', '- no fleet\n')
    commit(made.cwd)
    editHq(made)
    const { run } = made
    const whole = await run('validate fleet --changed-since HEAD', gitEnv)
    const link = join(made.cwd, 'link')
    symlinkSync('fleet', link)
    const linked = await run('validate link --changed-since HEAD', gitEnv)
    expect([whole.stderr, linked.stderr]).toEqual([
      'wlanctl: 1 of 2 sites changed since HEAD\n',
      'wlanctl: 1 of 2 sites changed since HEAD\n'
    ])
  })

  it('supports SHA-256 repositories', async () => {
    const made = await stage()
    git(made.cwd, 'init', '--quiet', '--object-format=sha256')
    commit(made.cwd)
    expect(await covered(made)).toMatchObject({ names: [] })
    editHq(made)
    expect(await covered(made)).toMatchObject({ names: ['hq'] })
  })

  it('works inside a git hook', async () => {
    const made = await committed()
    editHq(made)
    const env = { GIT_DIR: join(made.cwd, '.git'), GIT_INDEX_FILE: '/nowhere', GIT_PREFIX: 'x/' }
    expect(await covered(made, 'HEAD', '', env)).toMatchObject({ names: ['hq'] })
  })

  it('keeps the checkout, the index and the history', async () => {
    const made = await committed()
    editHq(made)
    const before = [git(made.cwd, 'status', '--porcelain'), git(made.cwd, 'rev-parse', 'HEAD')]
    const index = readFileSync(join(made.cwd, '.git/index'))
    await covered(made)
    expect(readFileSync(join(made.cwd, '.git/index')).equals(index)).toBe(true)
    const after = [git(made.cwd, 'status', '--porcelain'), git(made.cwd, 'rev-parse', 'HEAD')]
    expect(after).toEqual(before)
  })
})

describe('--changed-since with a prepared repository', () => {
  it('follows no link', async () => {
    const made = await committed()
    made.write('outside.yaml', 'profiles: { far: { dtim: 1 } }\n')
    symlinkSync('../outside.yaml', join(made.cwd, 'fleet/far.yaml'))
    symlinkSync('/proc/self/environ', join(made.cwd, 'fleet/env.yaml'))
    commit(made.cwd)
    git(made.cwd, 'rm', '--quiet', 'fleet/far.yaml', 'fleet/env.yaml')
    expect(await covered(made)).toMatchObject({ code: 0, names: [] })
  })

  it('reads no submodule', async () => {
    const made = await committed()
    const other = await committed()
    const { cwd } = made
    const allowed = ['-c', 'protocol.file.allow=always']
    git(cwd, ...allowed, 'submodule', '--quiet', 'add', other.cwd, 'fleet/sub')
    commit(cwd)
    git(cwd, 'rm', '--quiet', '-r', 'fleet/sub')
    expect(await covered(made)).toMatchObject({ code: 0, names: [] })
  })

  it('runs no filter or hook', async () => {
    const made = await committed()
    const { cwd, write } = made
    write('trap.sh', `#!/bin/sh\necho "$0 $*" >> ${join(cwd, 'sprung')}\ncat\n`, 0o755)
    write('fleet/.gitattributes', '*.yaml filter=trap diff=trap\n')
    commit(cwd)
    for (const hook of ['post-checkout', 'post-index-change', 'reference-transaction']) {
      mkdirSync(join(cwd, '.git/hooks'), { recursive: true })
      write(`.git/hooks/${hook}`, `#!/bin/sh\necho ${hook} >> ${join(cwd, 'sprung')}\n`)
      chmodSync(join(cwd, '.git/hooks', hook), 0o755)
    }
    const trap = join(cwd, 'trap.sh')
    for (const name of [
      ...['core.fsmonitor', 'core.pager', 'core.sshCommand', 'core.alternateRefsCommand'],
      ...['filter.trap.smudge', 'filter.trap.clean', 'diff.trap.textconv', 'diff.external'],
      ...['credential.helper', 'alias.ls-tree', 'alias.cat-file']
    ]) {
      git(cwd, 'config', name, name.startsWith('alias.') ? `!${trap}` : trap)
    }
    editHq(made)
    expect(await covered(made)).toMatchObject({ names: ['hq'] })
    expect(existsSync(join(cwd, 'sprung'))).toBe(false)
  })

  it('ignores replacement refs', async () => {
    const made = await committed()
    const { cwd } = made
    const blob = git(cwd, 'rev-parse', 'HEAD:fleet/hq.yaml')
    editHq(made)
    const other = git(cwd, 'hash-object', '-w', 'fleet/hq.yaml')
    git(cwd, 'replace', blob, other)
    expect(await covered(made)).toMatchObject({ names: ['hq'] })
  })

  it('passes no secret to git', async () => {
    const made = await committed()
    const env = withGit(made, `env > ${join(made.cwd, 'seen')}\nexec /usr/bin/git "$@"`)
    expect(await covered(made, 'HEAD', '', env)).toMatchObject({ names: [] })
    const seen = made.read('seen')
    expect(seen).toContain('GIT_TERMINAL_PROMPT=0')
    expect(seen).not.toMatch(/WLAN|API_TOKEN/)
    expect(seen).not.toContain(PSK)
  })
})

describe('a git error that exits 3 with a hint', () => {
  it.each([
    ['nowhere', /knows no commit "nowhere"[\s\S]*fetch it first/],
    ['--help', /knows no commit "--help"/],
    ['HEAD:fleet', /knows no commit/],
    ['\u001b[31mHEAD', /knows no commit "\\u001b\[31mHEAD"/]
  ])('%j', async (revision, said) => {
    const { run, methods } = await committed()
    expect(await run(`plan fleet --changed-since=${revision}`, gitEnv)).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringMatching(said)
    })
    expect(methods()).toEqual([])
  })

  it('reports a missing repository', async () => {
    const made = await stage()
    expect(await covered(made)).toEqual({
      code: 3,
      stderr: expect.stringContaining('not a git repository')
    })
  })

  it('reports a missing git', async () => {
    const made = await committed()
    expect(await covered(made, 'HEAD', '', { PATH: '/nowhere' })).toEqual({
      code: 3,
      stderr: expect.stringMatching(/needs git[\s\S]*install git/)
    })
  })

  it('reports a killed git', async () => {
    const made = await committed()
    expect(await covered(made, 'HEAD', '', withGit(made, 'kill -9 $$'))).toEqual({
      code: 3,
      stderr: expect.stringContaining('git could not do its work')
    })
  })

  it('reports a repository of another owner', async () => {
    const made = await committed()
    const env = withGit(made, 'GIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec /usr/bin/git "$@"')
    expect(await covered(made, 'HEAD', '', env)).toEqual({
      code: 3,
      stderr: expect.stringMatching(/dubious ownership[\s\S]*safe\.directory/)
    })
  })

  it('reports a shallow clone', async () => {
    const made = await committed()
    commit(made.cwd)
    const first = git(made.cwd, 'rev-parse', 'HEAD')
    commit(made.cwd)
    const clone = await stage()
    git(clone.cwd, 'clone', '--quiet', '--depth=1', `file://${made.cwd}`, 'clone')
    const line = `validate clone/fleet --changed-since ${first}`
    expect(await clone.run(line, gitEnv)).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/knows no commit[\s\S]*shallow[\s\S]*fetch-depth: 0/)
    })
  })

  it('reports a partial clone, and fetches nothing', async () => {
    const made = await committed()
    git(made.cwd, 'config', 'uploadpack.allowFilter', 'true')
    const first = git(made.cwd, 'rev-parse', 'HEAD')
    editHq(made)
    commit(made.cwd)
    const clone = await stage()
    git(clone.cwd, 'clone', '--quiet', '--filter=blob:none', `file://${made.cwd}`, 'clone')
    const line = `validate clone/fleet --changed-since ${first}`
    expect(await clone.run(line, gitEnv)).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/does not have all files[\s\S]*fetch-depth: 0/)
    })
  })
})

describe('--shard', () => {
  it.each(['plan', 'drift', 'apply'])(
    'divides the fleet for %s; a part without a site is empty',
    async command => {
      const { run, methods } = await stage()
      const line = `${command} fleet${command === 'apply' ? ' --yes' : ''}`
      const whole = await run(line)
      const asked = methods().length
      const parts = []
      for (const shard of ['1/3', '2/3', '3/3']) parts.push(await run(`${line} --shard ${shard}`))
      expect(parts.map(({ code }) => code)).toEqual([command === 'drift' ? whole.code : 0, 0, 0])
      expect(parts.map(({ stderr }) => stderr.match(/wlanctl: .*/)?.[0])).toEqual([
        'wlanctl: 1 of 1 site in shard 1/3',
        'wlanctl: none of 1 site in shard 2/3',
        'wlanctl: none of 1 site in shard 3/3'
      ])
      expect(methods().length - asked).toBe(command === 'apply' ? 1 : asked)
    }
  )
})
