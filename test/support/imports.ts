import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { ROOT } from './program.ts'

const src = join(ROOT, 'src')

/** An import of a source file, types included. */
export interface Import {
  readonly specifier: string
  /** True for `import()`. */
  readonly isLazy: boolean
}

/** The imports of every file of `src/`, by its path there with `/`; page scripts too. */
export const imports: ReadonlyMap<string, readonly Import[]> = new Map(
  readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.ts') && !file.endsWith('.d.ts'))
    .map(file => [file.split(sep).join('/'), importsOf(readFileSync(join(src, file), 'utf8'))])
)

function importsOf(text: string): Import[] {
  const found = text.matchAll(/^(?:import|export|\})[^'\n]* from '([^']+)'|\bimport\('([^']+)'\)/gm)
  return [...found].map(([, static_, lazy = '']) => ({
    specifier: static_ ?? lazy,
    isLazy: static_ === undefined
  }))
}

/** The file of a relative import, by its path in `src/`. */
export function targetOf(file: string, specifier: string): string {
  return relative(src, join(src, dirname(file), specifier))
    .split(sep)
    .join('/')
}
