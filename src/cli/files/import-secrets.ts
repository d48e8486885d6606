import { stat, unlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { ImportedSecret } from '../../author/import/secrets.ts'
import { wrongInput } from '../../core/model/failure.ts'
import { byCodeUnit } from '../../core/values/collections.ts'
import { listFirst } from '../../core/values/text.ts'
import { isInside, readRegularFile } from '../../fleet/secrets/regular-file.ts'
import { MAX_SECRET_BYTES } from '../../fleet/secrets/source.ts'
import { quoteForShell } from '../terminal/io.ts'
import { checkTarget, isPresent, makeFolder, removeEmpty, writeFileAtomic } from './files.ts'

interface Target {
  readonly out: string
  readonly secretsDir?: string
  readonly force?: boolean
  readonly cwd: string
}

const FOLDER_MODE = 0o700

/**
 * Throws a `Failure` if the folder cannot be written, is open to others, or is part of the fleet.
 * It creates nothing permanently.
 */
export async function checkSecretsFolder({ out, secretsDir, cwd }: Target): Promise<void> {
  if (secretsDir === undefined) return
  const wrong = (problem: string, hint: string) => wrongInput(`${secretsDir} ${problem}`, hint)
  if (isInside(resolve(cwd, secretsDir), resolve(cwd, out))) {
    throw wrong(`is in ${out}, the folder of the fleet`, 'keep secrets out of the fleet')
  }
  const present = await stat(resolve(cwd, secretsDir)).catch(() => undefined)
  if (present?.isDirectory() === false) throw wrong('is not a folder', 'name a folder')
  if (present !== undefined && (present.mode & 0o077) !== 0) {
    throw wrong('can be entered by others', `run: chmod 700 ${quoteForShell(secretsDir)}`)
  }
  const made = await makeFolder(secretsDir, cwd, FOLDER_MODE)
  await checkTarget(join(secretsDir, 'secret'), cwd).finally(() => removeEmpty(made))
}

/** Throws (exit 3) if a file has other content and is not to be replaced, or is not regular. */
export async function checkSecretFiles(
  secrets: readonly ImportedSecret[],
  target: Target
): Promise<void> {
  const { secretsDir, force, cwd } = target
  if (secretsDir === undefined) return
  const different: string[] = []
  for (const [file, text] of filesOf(secrets, secretsDir)) {
    const state = await stateOf(file, text, cwd)
    if (state === 'different') different.push(file)
  }
  const [first, ...others] = different
  if (force || first === undefined) return
  const all = listFirst(different, 3)
  const verb = others.length === 0 ? 'exists with another' : 'exist with other'
  const what = others.length === 0 ? 'secret' : 'secrets'
  throw wrongInput(`${all} already ${verb} ${what}`, '`--force` replaces them')
}

/**
 * Writes each secret to a file with mode 600, in a folder with mode 700, if a file can contain it. Existing
 * files with the same secret stay. Rejects with a `Failure` if a file cannot be written, and removes the new
 * ones.
 */
export async function writeSecretFiles(
  secrets: readonly ImportedSecret[],
  { secretsDir, cwd }: Target,
  interrupted: AbortSignal
): Promise<void> {
  if (secretsDir === undefined) return
  const files = filesOf(secrets, secretsDir)
  if (files.length === 0) return
  const made = await makeFolder(secretsDir, cwd, FOLDER_MODE)
  const writtenFiles: string[] = []
  try {
    for (const [file, text] of files) {
      interrupted.throwIfAborted()
      const state = await stateOf(file, text, cwd)
      if (state === 'same') continue
      await writeFileAtomic(file, text, cwd)
      if (state === 'absent') writtenFiles.push(file)
    }
  } catch (error) {
    for (const file of writtenFiles) await unlink(resolve(cwd, file)).catch(() => undefined)
    await removeEmpty(made)
    throw error
  }
}

function filesOf(
  secrets: readonly ImportedSecret[],
  folder: string
): [file: string, text: string][] {
  return secrets.flatMap(secret => {
    const text = secretFileText(secret)
    return text === undefined ? [] : [[join(folder, secret.name), text]]
  })
}

/** `open`: it has this text, but others can read it. Throws a `Failure` (exit 3) for an irregular file. */
async function stateOf(
  file: string,
  text: string,
  cwd: string
): Promise<'absent' | 'same' | 'open' | 'different'> {
  if (!(await isPresent(file, cwd))) return 'absent'
  const reading = readRegularFile(resolve(cwd, file), { most: MAX_SECRET_BYTES, links: false })
  if (!('bytes' in reading && reading.bytes.equals(Buffer.from(text)))) return 'different'
  return (reading.mode & 0o077) === 0 ? 'same' : 'open'
}

/**
 * The content of the file of a secret, from which `$file` reads the same value; undefined if the secret is
 * unknown, or if a file cannot contain it.
 */
export function secretFileText({ secret }: ImportedSecret): string | undefined {
  const value = secret.known ? secret.reveal() : ''
  const isFit = value !== '' && !value.startsWith('\uFEFF') && !/\p{Cs}/u.test(value)
  // `$file` removes one trailing newline.
  const text = value.endsWith('\n') ? `${value}\n` : value
  return isFit && Buffer.byteLength(text) <= MAX_SECRET_BYTES ? text : undefined
}

const HEAD = `# The secrets of imported WLANs. Move them into a vault, and never commit this file.
# Use it with --secrets-file THIS_FILE, or load it into a shell with: set -a; . ./THIS_FILE; set +a
`

/**
 * The secrets as a dotenv file, which a POSIX shell can also read. A secret that is unknown, or that a
 * variable cannot contain, becomes a comment.
 */
export function dotenv(secrets: readonly ImportedSecret[]): string {
  const lines = [...secrets].sort((a, b) => byCodeUnit(a.name, b.name)).map(dotenvLine)
  return `${HEAD}${lines.map(line => `${line}\n`).join('')}`
}

function dotenvLine({ name, secret }: ImportedSecret): string {
  if (!secret.known) return `# ${name}= (the service hides this secret: enter it)`
  const value = secret.reveal()
  if (/[\0\p{Cs}]/u.test(value))
    return `# ${name}= (an environment variable cannot hold this secret)`
  return `${name}=${shellQuoted(value)}`
}

/**
 * A value in single quotes, which every parser reads literally; in double quotes if it contains single ones,
 * although parsers other than shells may read backslashes literally.
 */
function shellQuoted(value: string): string {
  return value.includes("'") ? `"${value.replace(/["$`\\]/g, '\\$&')}"` : `'${value}'`
}
