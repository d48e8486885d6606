import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { imports, targetOf } from './support/imports.ts'
import { ROOT } from './support/program.ts'

/**
 * The allowed imports of each module of `src/`: other modules, then packages and Node's built-ins. This table
 * is the architecture; `.github/CONTRIBUTING.md` repeats it, and a test compares both.
 */
const allowed: Readonly<Record<string, readonly [modules: string, packages: string]>> = {
  model: ['', 'picomatch'],
  schema: ['model', '#validators fastest-levenshtein'],
  secrets: ['model', 'node:buffer node:fs node:path'],
  time: ['model', 'temporal-polyfill'],
  report: ['model', '#page node:crypto picocolors'],
  config: [
    'model schema secrets time lint',
    'node:buffer node:crypto node:fs node:path node:path/posix node:process node:timers/promises node:v8 re2js yaml'
  ],
  api: ['model schema', 'node:timers/promises undici'],
  plan: ['model schema', '#forms #validators fast-json-patch node:crypto'],
  apply: ['model schema api plan', '#forms node:crypto'],
  lint: ['model schema', ''],
  audit: ['model schema plan lint', ''],
  'yaml-edit': ['model', 'yaml'],
  import: ['model schema secrets config plan yaml-edit', ''],
  adopt: ['model schema secrets config plan yaml-edit import', ''],
  init: ['', '#starter'],
  simulator: ['model schema', 'node:http node:net node:timers/promises'],
  checks: ['model config plan lint', ''],
  workflow: ['model time api plan apply checks', ''],
  cli: [
    'model secrets config api plan apply report yaml-edit import adopt init simulator workflow lint audit checks',
    'commander node:child_process node:events node:fs node:fs/promises node:os node:path node:process node:readline/promises node:stream node:timers/promises'
  ],
  'main.ts': ['cli', 'node:fs']
}

const moduleOf = (file: string) => file.split('/')[0] ?? ''

const packageOf = (specifier: string) =>
  specifier.startsWith('node:') ? specifier : (specifier.split('/')[0] ?? '')

const words = (text: string) => new Set(text.split(' ').filter(word => word !== ''))

describe('imports', () => {
  test('every module is in the table', () => {
    expect([...new Set([...imports.keys()].map(moduleOf))].sort()).toEqual(
      Object.keys(allowed).sort()
    )
  })

  test.each(Object.entries(allowed))(
    '%s imports only allowed modules',
    (module, [modules, packages]) => {
      const others = words(modules)
      const known = words(packages)
      const wrong = [...imports].flatMap(([file, specifiers]) =>
        moduleOf(file) !== module
          ? []
          : specifiers.flatMap(({ specifier }) => {
              if (!specifier.startsWith('.'))
                return known.has(packageOf(specifier)) ? [] : `${file}: ${specifier}`
              const target = moduleOf(targetOf(file, specifier))
              return target === module || target === '..' || others.has(target)
                ? []
                : `${file}: ${specifier}`
            })
      )
      expect(wrong).toEqual([])
    }
  )

  test.each(Object.entries(allowed))(
    '%s needs every entry of the table',
    (module, [modules, packages]) => {
      const used = new Set(
        [...imports].flatMap(([file, specifiers]) =>
          moduleOf(file) === module
            ? specifiers.map(({ specifier }) =>
                specifier.startsWith('.')
                  ? moduleOf(targetOf(file, specifier))
                  : packageOf(specifier)
              )
            : []
        )
      )
      const unused = [...words(modules), ...words(packages)].filter(word => !used.has(word))
      expect(unused).toEqual([])
    }
  )

  test('the table in CONTRIBUTING is equal', () => {
    const withoutBuiltins = Object.entries(allowed).map(([module, [modules, packages]]) => [
      module,
      modules,
      [...words(packages)].filter(name => !name.startsWith('node:')).join(' ')
    ])
    expect(documentedImports()).toEqual(withoutBuiltins)
  })

  test('no import circle exists, types included', () => {
    expect(circles()).toEqual([])
  })
})

/** The rows of the table of modules in CONTRIBUTING: module, modules, packages. */
function documentedImports(): string[][] {
  const text = readFileSync(join(ROOT, '.github/CONTRIBUTING.md'), 'utf8')
  const section = /^## Modules$.*?(?=^## )/ms.exec(text)?.[0] ?? ''
  const rows = section.matchAll(/^\| `([\w.-]+)` +\|[^|]*\|([^|]*)\|([^|]*)\|$/gm)
  const plain = (cell: string) => cell.trim().replaceAll(', ', ' ')
  return [...rows].map(([, module = '', modules = '', packages = '']) => [
    module,
    plain(modules),
    plain(packages)
  ])
}

/** The import circles, each as its files in order. */
function circles(): string[] {
  const done = new Set<string>()
  const found: string[] = []
  const visit = (file: string, path: readonly string[]) => {
    if (path.includes(file)) found.push([...path.slice(path.indexOf(file)), file].join(' -> '))
    if (done.has(file) || path.includes(file)) return
    for (const { specifier } of imports.get(file) ?? []) {
      if (specifier.startsWith('.')) visit(targetOf(file, specifier), [...path, file])
    }
    done.add(file)
  }
  for (const file of imports.keys()) visit(file, [])
  return found
}
