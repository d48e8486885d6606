import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The environment of git in tests: an author, and no user settings. */
export const gitEnv = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Test',
  GIT_AUTHOR_EMAIL: 'test@example.com',
  GIT_COMMITTER_NAME: 'Test',
  GIT_COMMITTER_EMAIL: 'test@example.com'
}

/** Runs git in a folder; returns its output. */
export function git(cwd: string, ...words: readonly string[]): string {
  const { PATH, HOME } = process.env
  const env = { PATH, HOME, ...gitEnv }
  return execFileSync('git', words, { cwd, env, encoding: 'utf8', stdio: 'pipe' }).trim()
}

/** Makes a folder a repository without a commit, as `git init` does, at the cost of no start of git. */
export function emptyRepository(cwd: string, branch = 'main'): void {
  for (const folder of ['objects', 'refs/heads']) {
    mkdirSync(join(cwd, '.git', folder), { recursive: true })
  }
  writeFileSync(join(cwd, '.git/HEAD'), `ref: refs/heads/${branch}\n`)
  writeFileSync(join(cwd, '.git/config'), '[core]\n\tbare = false\n[maintenance]\n\tauto = false\n')
}

/** Makes a folder a repository, with all files committed on `main`. */
export function repository(cwd: string): void {
  emptyRepository(cwd)
  commit(cwd)
}

export function commit(cwd: string): void {
  git(cwd, 'add', '--all')
  git(cwd, 'commit', '--quiet', '--allow-empty', '--message=A step')
}
