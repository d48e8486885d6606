import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { TestForge } from '../ci/forge/forge.ts'
import type { Pull } from '../ci/forge/state.ts'
import { folder, startCommand } from '../support/program.ts'
import { hq, PSK, packProgram, startPinned } from './fake/pinned.ts'

/**
 * Runs the jobs that `init` writes in gitlab-ci-local, which reads the includes, evaluates the rules and runs the scripts
 * itself, with the packed program and the forge of `test/ci`. `.ci/run` installs it, and the rsync that it needs.
 */
const hasRunner = ['gitlab-ci-local', 'rsync'].every(
  program => spawnSync(program, ['--version']).status === 0
)

packProgram()

type Name = Parameters<TestForge['start']>[0]

/** Runs the jobs of a pipeline, and stores the results of the one with this name on the forge. */
function runner(forge: TestForge, token: string) {
  return async (name: Name, { pull }: { readonly pull?: Pull } = {}) => {
    const job = forge.start(name, pull && { pull })
    const secrets = join(folder(), 'secrets')
    writeFileSync(secrets, `WLAN_SECRET_GUEST=${PSK}\n`)
    const variables = {
      ...job.env,
      CI_COMMIT_REF_NAME: pull?.branch ?? 'main',
      WLANCTL_FORGE_TOKEN: forge.tokens.report,
      WLANCTL_READ_TOKEN: token,
      WLANCTL_WRITE_TOKEN: token,
      WLANCTL_SECRETS: secrets
    }
    const words = [
      ...['--force-shell-executor', '--artifacts-to-source', '--no-color', '--concurrency', '1'],
      ...Object.entries(variables).flatMap(([key, value]) => ['--variable', `${key}=${value}`])
    ]
    const { repository } = forge.state
    execFileSync('git', ['remote', 'add', 'origin', repository.path], { cwd: job.cwd })
    const machine = { cwd: job.cwd, env: { PATH: process.env['PATH'] ?? '', HOME: folder() } }
    const { code, stdout, stderr } = await startCommand('gitlab-ci-local', words, machine).ended
    expect(stdout + stderr).not.toContain(PSK)
    cpSync(join(job.cwd, 'wlanctl-results'), job.results, { recursive: true })
    forge.finish(job, `wlanctl-${name}-fleet`)
    return { code, log: stdout + stderr }
  }
}

const good = { code: 0 }

describe.skipIf(!hasRunner)('the jobs of `init`, in gitlab-ci-local', { timeout: 300_000 }, () => {
  it('plan a merge request, and apply its merge', async () => {
    const { forge, simulator, live } = await startPinned('gitlab')
    const run = runner(forge, simulator.token)
    const pull = forge.openPullRequest({ files: { 'sites/hq.yaml': hq(21) } })
    expect(await run('plan', { pull })).toMatchObject(good)
    expect(pull.comments.map(({ body }) => body)).toEqual([expect.stringContaining('vlan_id')])

    forge.merge(pull)
    expect(await run('apply')).toMatchObject(good)
    expect(live('vlan_id')).toBe(21)
    expect(pull.comments).toHaveLength(2)
  })
})
