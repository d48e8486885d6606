import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build, type Plugin } from 'rolldown'
import { folder, ROOT } from '../../support/program.ts'

/** An edit of the sources. */
export interface Mutation {
  /** Below `src/`. */
  readonly file: string
  /** The text to replace; it occurs exactly once in the file. */
  readonly find: string
  readonly replace: string
}

/** Builds the program with an edit of its sources, for this test; returns its path. */
export async function variant(mutation?: Mutation): Promise<string> {
  const outdir = folder()
  await build({
    cwd: ROOT,
    input: { wlanctl: 'src/main.ts' },
    platform: 'node',
    logLevel: 'silent',
    moduleTypes: { '.yaml': 'text' },
    transform: { target: 'node20', define: { WLANCTL_VERSION: '"0.0.0-variant"' } },
    plugins: mutation === undefined ? [] : [mutating(mutation)],
    output: { dir: outdir, entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' }
  })
  return join(outdir, 'wlanctl.mjs')
}

function mutating({ file, find, replace }: Mutation): Plugin {
  let isLoaded = false
  return {
    name: 'mutation',
    async load(id) {
      if (id !== join(ROOT, 'src', file)) return undefined
      isLoaded = true
      const [before = '', after, ...others] = (await readFile(id, 'utf8')).split(find)
      if (after === undefined || others.length > 0) {
        throw new Error(`src/${file} must hold once: ${find}`)
      }
      return before + replace + after
    },
    buildEnd() {
      if (!isLoaded) throw new Error(`src/${file} is not part of the program`)
    }
  }
}
