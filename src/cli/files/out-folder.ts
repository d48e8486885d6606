import { rmdir, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { makeFolder } from './files.ts'

/** The output folder; a run that writes no file removes it again. */
export class OutFolder {
  readonly #folder: string
  readonly #cwd: string
  readonly #mode: number | undefined
  /** The folders that were created, the innermost first. */
  #created: readonly string[] = []

  /** `mode` applies to the folder itself, if it is created. */
  constructor(folder: string, cwd: string, mode?: number) {
    this.#folder = folder
    this.#cwd = cwd
    this.#mode = mode
  }

  /** Creates the folder, and the folders above it. Throws a `Failure` on error. */
  async make(): Promise<void> {
    this.#created = [...(await missing(resolve(this.#cwd, this.#folder))), ...this.#created]
    await makeFolder(this.#folder, this.#cwd, this.#mode)
  }

  /** Removes the created folders that are empty. */
  async removeEmpty(): Promise<void> {
    for (const folder of this.#created) await rmdir(folder).catch(() => undefined)
    this.#created = []
  }
}

async function missing(path: string): Promise<string[]> {
  const isThere = (await stat(path).catch(() => undefined)) !== undefined
  if (isThere || dirname(path) === path) return []
  return [path, ...(await missing(dirname(path)))]
}
