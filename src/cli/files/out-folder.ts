import { rmdir, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { makeFolder } from './files.ts'

/** The folder that files are written to; a run that writes none of them leaves no folder behind. */
export class OutFolder {
  readonly #folder: string
  readonly #cwd: string
  readonly #mode: number | undefined
  /** Those that were not there before, the innermost first. */
  #made: readonly string[] = []

  /** `mode` is that of the folder itself, if it is made. */
  constructor(folder: string, cwd: string, mode?: number) {
    this.#folder = folder
    this.#cwd = cwd
    this.#mode = mode
  }

  /** Makes it, and those that it is in. Throws a `Failure` if that cannot be. */
  async make(): Promise<void> {
    this.#made = [...(await missing(resolve(this.#cwd, this.#folder))), ...this.#made]
    await makeFolder(this.#folder, this.#cwd, this.#mode)
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
