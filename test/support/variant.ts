import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { folder, ROOT } from './program.ts'

/** A change of one place of the sources. */
export interface Mutation {
  /** Below `src/`. */
  readonly file: string
  /** What stands there; exactly once in the file. */
  readonly find: string
  readonly replace: string
}

/** For packages in CommonJS, which load the built-in modules in a way that ESM has not. */
const shim = `import{createRequire}from"node:module";const require=createRequire(import.meta.url);`

/** Builds the program with one place of its sources changed, for this test; gives its path. */
export async function variant(mutation?: Mutation): Promise<string> {
  const outdir = folder()
  await build({
    absWorkingDir: ROOT,
    entryPoints: { wlanctl: 'src/main.ts' },
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'silent',
    banner: { js: shim },
    loader: { '.yaml': 'text' },
    define: { WLANCTL_VERSION: '"0.0.0-variant"' },
    plugins: mutation === undefined ? [] : [mutating(mutation)]
  })
  return join(outdir, 'wlanctl.mjs')
}

function mutating({ file, find, replace }: Mutation): Plugin {
  return {
    name: 'mutation',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        if (path !== join(ROOT, 'src', file)) return undefined
        const [before = '', after, ...others] = (await readFile(path, 'utf8')).split(find)
        if (after === undefined || others.length > 0) {
          throw new Error(`src/${file} must hold once: ${find}`)
        }
        return { contents: before + replace + after, loader: 'ts' }
      })
    }
  }
}
