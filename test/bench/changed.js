import { spawnSync } from 'node:child_process'
import { writeFleet, writeProfiles } from './fleet/write.js'
import { interleaved, PROGRAM } from './measure.js'
import { compared } from './table.js'

const SITES = 2000
const ROUNDS = 3

/**
 * Measures --changed-since with a changed profile that all sites extend, and without changes; compared with
 * `validate` of the same files.
 * @param {string} folder
 */
export async function benchChanged(folder) {
  const { fleet } = await writeFleet(folder, SITES)
  git(fleet, 'init', '--quiet')
  git(fleet, 'add', '--all')
  git(fleet, 'commit', '--quiet', '--message=A fleet')
  const rows = []
  for (const [what, dtim] of /** @type {const} */ ([
    ['a profile', 3],
    ['nothing', 2]
  ])) {
    writeProfiles(fleet, dtim)
    const [floor, own] = await interleaved(ROUNDS, () => [
      { args: [PROGRAM, 'validate', fleet] },
      { args: [PROGRAM, 'validate', fleet, '--changed-since', 'HEAD'] }
    ])
    const name = `changed since a commit: ${what}, ${SITES} files; compared with validate`
    rows.push(compared(name, own, floor, undefined))
  }
  return rows
}

/**
 * @param {string} cwd
 * @param {readonly string[]} args
 */
function git(cwd, ...args) {
  const author = { GIT_AUTHOR_NAME: 'Bench', GIT_AUTHOR_EMAIL: 'bench@example.com' }
  const committer = { GIT_COMMITTER_NAME: 'Bench', GIT_COMMITTER_EMAIL: 'bench@example.com' }
  const env = { ...process.env, ...author, ...committer, GIT_CONFIG_GLOBAL: '/dev/null' }
  const { status, stderr } = spawnSync('git', args, { cwd, env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`git ${args.join(' ')} ended with ${status}: ${stderr}`)
}
