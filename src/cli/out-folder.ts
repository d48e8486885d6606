import { rmdir, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { makeFolder } from './files/files.ts'

/** The folder that files are written to; a run that writes none of them leaves no folder behind. */
export class OutFolder {
  readonly #folder: string
  readonly #cwd: string
  /** Those that were not there before, the innermost first. */
  #made: readonly string[] = []

  constructor(folder: string, cwd: string) {
    this.#folder = folder
    this.#cwd = cwd
  }

  /** Makes it, and those that it is in. Throws a `Failure` if that cannot be. */
  async make(): Promise<void> {
    this.#made = [...(await missing(resolve(this.#cwd, this.#folder))), ...this.#made]
    await makeFolder(this.#folder, this.#cwd)
  }

  /** Removes what was made, as far as nothing is in it. */
  async removeEmpty(): Promise<void> {
    for (const folder of this.#made) await rmdir(folder).catch(() => undefined)
    this.#made = []
  }
}

async function missing(path: string): Promise<string[]> {
  const isThere = (await stat(path).catch(() => undefined)) !== undefined
  if (isThere || dirname(path) === path) return []
  return [path, ...(await missing(dirname(path)))]
}
