import { stat, unlink } from 'node:fs/promises'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { type ImportedSecret, secretFileText } from '../../author/import/secrets.ts'
import { wrongInput } from '../../core/model/failure.ts'
import { listFirst } from '../../core/values/text.ts'
import { readRegularFile } from '../../fleet/secrets/regular-file.ts'
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
  if (isWithin(resolve(cwd, secretsDir), resolve(cwd, out))) {
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

function isWithin(path: string, folder: string): boolean {
  const inner = relative(folder, path)
  return inner !== '..' && !inner.startsWith(`..${sep}`) && !isAbsolute(inner)
}
