import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { build } from 'rolldown'
import type { Plugin } from 'vitest/config'

const ROOT = join(import.meta.dirname, '../..')
const OUT = join(ROOT, 'build/compiled')

/** The files of `compiledSource`, which Node loads by itself. */
export const COMPILED = /\/build\/compiled\//

/**
 * Compiles `src/` file by file and lets the tests import the result, which takes 1 s of CPU. Vitest would compile each
 * file when a test first imports it, and send it to each of its processes: a third of the CPU time of the tests.
 */
export async function compiledSource(version: string): Promise<Plugin> {
  const input = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter(file => /(?<!\.d)\.ts$/.test(file) && !/html.page/.test(file))
    .map(file => join('src', file))
  const { output } = await build({
    cwd: ROOT,
    input,
    platform: 'node',
    external: /^[^./]/,
    treeshake: false,
    write: false,
    moduleTypes: { '.yaml': 'text' },
    transform: { target: 'node20', define: { WLANCTL_VERSION: JSON.stringify(version) } },
    output: { dir: OUT, preserveModules: true, preserveModulesRoot: ROOT, sourcemap: 'inline' }
  })
  for (const part of output)
    if (part.type === 'chunk') writeIfNew(join(OUT, part.fileName), part.code)
  return {
    name: 'compiled-source',
    enforce: 'pre',
    resolveId(id, importer) {
      if (importer === undefined || !/^\..*\.ts$/.test(id)) return null
      const file = relative(ROOT, join(dirname(importer), id)).replace(/\.ts$/, '.js')
      return file.startsWith('src') && existsSync(join(OUT, file)) ? join(OUT, file) : null
    }
  }
}

/** Another run may load the same file now. */
function writeIfNew(path: string, text: string): void {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
