import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAst } from 'rolldown/parseAst'
import { describe, expect, test } from 'vitest'
import { imports, targetOf } from './support/imports.ts'
import { ROOT } from './support/program.ts'

/**
 * The allowed imports of each module of `src/`: other modules, then packages and Node's built-ins. This table
 * is the architecture; `.github/CONTRIBUTING.md` repeats it, and a test compares both.
 */
const allowed: Readonly<Record<string, readonly [modules: string, packages: string]>> = {
  'core/values': ['', 'picomatch'],
  'core/model': ['core/values', ''],
  'core/schema': ['core/values core/model', '#validators fastest-levenshtein'],
  'core/diff': ['core/values core/model core/schema', 'fast-json-patch'],
  'core/plan': ['core/values core/model core/schema core/diff', 'node:crypto'],
  'core/lint': ['core/values core/model core/schema', 'node:crypto'],
  'core/audit': ['core/values core/model core/schema core/diff core/lint', ''],
  'core/query': ['core/values core/schema core/diff core/lint', ''],
  fleet: [
    'core/values core/model core/schema core/diff core/query core/lint fleet/secrets fleet/time',
    'node:buffer node:crypto node:fs node:path node:path/posix node:process node:timers/promises node:v8 re2js yaml'
  ],
  'fleet/secrets': ['core/values core/model', 'node:buffer node:fs node:path'],
  'fleet/time': ['core/values core/model', 'temporal-polyfill'],
  service: ['core/values core/model core/schema', 'node:timers/promises undici'],
  files: ['core/values core/model core/schema core/diff core/plan', '#forms node:crypto'],
  run: [
    'core/values core/model core/schema core/diff core/plan core/lint fleet fleet/time service files',
    '#forms node:crypto'
  ],
  'author/yaml-edit': ['core/values', 'yaml'],
  'author/import': [
    'core/values core/model core/schema core/diff core/audit fleet fleet/secrets author/yaml-edit',
    ''
  ],
  'author/adopt': [
    'core/values core/model core/schema core/diff core/plan fleet fleet/secrets author/yaml-edit',
    ''
  ],
  'author/init': ['core/values core/model core/audit core/query', '#starter'],
  ci: [
    'core/values core/model core/schema core/diff core/plan fleet/time service files run report',
    '#forms node:fs/promises node:path node:stream/consumers node:zlib yauzl'
  ],
  report: [
    'core/values core/model core/query',
    '#page fast-string-width fast-wrap-ansi picocolors'
  ],
  simulator: ['core/values core/model core/schema', 'node:http node:net node:timers/promises'],
  cli: [
    'core/values core/model core/schema core/diff core/plan core/lint core/audit core/query fleet fleet/secrets fleet/time service files run author/yaml-edit author/import author/adopt author/init ci report simulator',
    '#findings commander node:child_process node:crypto node:events node:fs node:fs/promises node:os node:path node:readline/promises node:stream node:timers/promises'
  ],
  'main.ts': ['cli', 'node:fs node:module node:path'],
  'index.ts': [
    'core/values core/model core/diff core/plan core/lint fleet fleet/secrets run service',
    ''
  ]
}

/** The longest entry of the table that is the file or a folder above it. */
function moduleOf(file: string): string {
  const above = Object.keys(allowed).filter(name => `${file}/`.startsWith(`${name}/`))
  return above.reduce((longest, name) => (name.length > longest.length ? name : longest), '')
}

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
              return target === module || target === '' || others.has(target)
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
  const rows = section.matchAll(/^\| `([\w./-]+)` +\|[^|]*\|([^|]*)\|([^|]*)\|$/gm)
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

/** The calls of functions that take any number of items, with a list spread into their arguments. */
function spreads(text: string): string[] {
  const found: string[] = []
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    if ('type' in node && (node.type === 'CallExpression' || node.type === 'NewExpression')) {
      const { callee, arguments: words, start, end } = node as unknown as Call
      const name = callee.property?.name ?? callee.name ?? ''
      const isSpread = words.some(({ type }) => type === 'SpreadElement')
      if (isSpread && TAKES_ANY_NUMBER.test(name)) found.push(text.slice(start, end))
    }
    for (const inner of Object.values(node)) visit(inner)
  }
  visit(parseAst(text, { lang: 'ts' }))
  return found
}

interface Call {
  readonly callee: { readonly name?: string; readonly property?: { readonly name?: string } }
  readonly arguments: readonly { readonly type: string }[]
  readonly start: number
  readonly end: number
}

const TAKES_ANY_NUMBER =
  /^(?:push|unshift|splice|toSpliced|concat|min|max|hypot|of|fromCharCode|fromCodePoint|call|bind|Array|Set)$/

test('no list is spread into a call: 125,000 items overflow the stack', () => {
  const found = [...imports.keys()].flatMap(file =>
    spreads(readFileSync(join(ROOT, 'src', file), 'utf8')).map(call => `${file}: ${call}`)
  )
  expect(found).toEqual([])
  expect(spreads('list.push(...items); Math.max(0, ...items)')).toHaveLength(2)
})
