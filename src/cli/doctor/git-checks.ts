import { basename, dirname, resolve } from 'node:path'
import { Failure } from '../../model/failure.ts'
import type { DoctorCheck } from '../../model/finding.ts'
import { type Git, gitIn } from '../files/git.ts'
import type { Io } from '../io.ts'
import type { SecretFlags, ServiceOptions } from '../options.ts'

type Options = Pick<ServiceOptions, 'tokenFile'> & Pick<SecretFlags, 'secretsDir'>

const about = 'git'

/** Git, the repository of the fleet, and whether a secret is about to be pushed. */
export async function gitChecks(fleet: string, options: Options, io: Io): Promise<DoctorCheck[]> {
  const git = gitIn(resolve(io.cwd, fleet), io)
  try {
    const { stdout } = await git(['--version'])
    const version = stdout
      .toString()
      .trim()
      .replace(/^git version /, '')
    return [await repository(version, git), ...(await tracked(options, io))]
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return [{ about, state: 'note', said: 'there is no git', todo: '--changed-since needs it' }]
  }
}

async function repository(version: string, git: Git): Promise<DoctorCheck> {
  const shallow = await git(['rev-parse', '--is-shallow-repository'])
  if (shallow.code !== 0) {
    const said = `${version}; the fleet is in no repository that it reads`
    return {
      about,
      state: 'note',
      said,
      todo: 'keep the fleet in one: every change is then a review'
    }
  }
  if (shallow.stdout.toString().trim() !== 'true') return { about, state: 'ok', said: version }
  const said = `${version}; the clone has no history`
  return { about, state: 'note', said, todo: '--changed-since needs it: git fetch --unshallow' }
}

/** Files with secrets in them that somebody has added to a repository. */
async function tracked({ tokenFile, secretsDir }: Options, io: Io): Promise<DoctorCheck[]> {
  const files = [tokenFile ?? [], secretsDir ?? []].flat()
  const checks = await Promise.all(files.map(file => trackedCheck(file, io)))
  return checks.flat()
}

async function trackedCheck(file: string, io: Io): Promise<DoctorCheck[]> {
  const path = resolve(io.cwd, file)
  const git = gitIn(dirname(path), io)
  const { code, stdout } = await git(['ls-files', '-z', '--', `./${basename(path)}`])
  if (code !== 0 || stdout.length === 0) return []
  return [
    {
      about,
      state: 'wrong',
      said: `${file} is kept by git: whoever clones the repository has what is in it`,
      todo: 'change what it holds, then take it out: git rm --cached, and a line in .gitignore'
    }
  ]
}
