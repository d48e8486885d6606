import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { wrongInput } from '../core/model/failure.ts'
import { quote } from '../core/values/text.ts'
import { limits } from '../fleet/limits.ts'
import { readRegularFile } from '../fleet/secrets/regular-file.ts'
import { parseSecretsFile } from '../fleet/secrets/secrets-file.ts'
import { type SecretOptions, type SecretSource, secretSource } from '../fleet/secrets/source.ts'
import { escapeInside } from '../report/escape.ts'
import { unreadReason } from './files/files.ts'
import type { ReportOptions } from './options.ts'
import { type Io, quoteForShell } from './terminal/io.ts'
import { writeAboveStatus } from './terminal/status-line.ts'

type Options = SecretOptions & Pick<ReportOptions, 'quiet'>

/**
 * The secret source of a run: the environment, then the secrets file; the secrets directory. Warns of a directory that
 * does not exist, which is no error, because a job for pull requests may have no secrets, and of a file that others can read.
 * Throws a `Failure` (exit 3) for a secrets file that is wrong or cannot be read.
 */
export function secretSourceOf(options: Options, io: Io): SecretSource {
  const { secretPrefix: prefix, secretsDir, secretsFile } = options
  const directory = secretsDir && resolve(io.cwd, secretsDir)
  const file = secretsFile === undefined ? undefined : readSecretsFile(secretsFile, prefix, io)
  for (const problem of [secretsDirProblem(options, io), file?.warning]) {
    if (problem === undefined || options.quiet) continue
    writeAboveStatus(io, `wlanctl: warning: ${escapeInside(problem)}`)
  }
  return secretSource({ env: io.env, prefix, directory, fromFile: file?.secrets })
}

/** The problem of a secrets directory that cannot contain a secret; undefined without one. */
export function secretsDirProblem(
  { secretsDir }: Pick<SecretOptions, 'secretsDir'>,
  { cwd }: Pick<Io, 'cwd'>
): string | undefined {
  if (secretsDir === undefined) return undefined
  const name = `the secrets directory ${quote(secretsDir)}`
  try {
    const found = statSync(resolve(cwd, secretsDir), { throwIfNoEntry: false })
    if (found?.isDirectory()) return undefined
    return `${name} ${found === undefined ? 'does not exist' : 'is not a directory'}`
  } catch {
    return `${name} cannot be read`
  }
}

/** Reads a secrets file, which may be a link, as mounted secrets are. */
function readSecretsFile(file: string, prefix: string, { cwd }: Pick<Io, 'cwd'>) {
  const reading = readRegularFile(resolve(cwd, file), { most: limits.bytes })
  if (!('bytes' in reading)) {
    throw wrongInput(`the secrets file ${quote(file)} cannot be read: ${unreadReason(reading)}`)
  }
  const parsed = parseSecretsFile(reading.bytes, prefix)
  if ('problem' in parsed) throw wrongInput(`${file}:${parsed.line}: ${parsed.problem}`)
  const isOpen = (reading.mode & 0o044) !== 0
  const hint = `run: chmod 600 ${quoteForShell(file)}`
  return {
    secrets: parsed,
    warning: isOpen ? `others can read the secrets file ${quote(file)}; ${hint}` : undefined
  }
}
