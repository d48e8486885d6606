import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'rolldown'
import { imports, targetOf } from '../support/imports.ts'
import { environment, folder, ROOT, startCommand, wlanctl } from '../support/program.ts'
import { stage } from '../support/stage.ts'

/** The lines of the TypeScript and CSS of `src/`. */
export function sourceLines(): number {
  const texts = filesBelow('src').filter(file => /\.(?:ts|css)$/.test(file))
  return sum(texts.map(file => readFileSync(file, 'utf8').split('\n').length - 1))
}

/** The lines of all files of `test/`: code, scenarios and examples of output. */
export function testLines(): number {
  return sum(filesBelow('test').map(file => readFileSync(file, 'utf8').split('\n').length - 1))
}

/** The names of the options in the helps of all commands, each once: `--site`. */
export async function optionNames(): Promise<string[]> {
  const run = async (...words: readonly string[]) =>
    (await wlanctl(words, { cwd: ROOT, env: environment() })).stdout
  const commandsIn = (text: string) =>
    [...text.matchAll(/^ {2}([a-z]+)(?= .)/gm)].flatMap(([, name]) => name ?? [])
  const all = commandsIn(await run('help', '--all'))
  const texts = [await run('help', 'connection')]
  for (const name of all) {
    const text = await run(name, '--help')
    texts.push(text)
    for (const inner of commandsIn(text.split('Commands:')[1] ?? '')) {
      texts.push(await run(name, inner, '--help'))
    }
  }
  const names = texts.flatMap(text =>
    [...text.matchAll(/^ +(?:-\w, )?(--[a-z-]+)/gm)].map(([, name]) => name ?? '')
  )
  return [...new Set(names)].sort()
}

/** The files of `src/` that one other file imports; a file that is loaded lazily is not counted. */
export function filesWithOneImporter(): number {
  const importers = new Map<string, Set<string>>()
  const lazy = new Set<string>()
  for (const [file, found] of imports) {
    for (const { specifier, isLazy } of found) {
      if (!specifier.startsWith('.')) continue
      const target = targetOf(file, specifier)
      if (isLazy) lazy.add(target)
      importers.set(target, (importers.get(target) ?? new Set()).add(file))
    }
  }
  return [...importers].filter(([target, { size }]) => size === 1 && !lazy.has(target)).length
}

/** The numbers of files directly in each folder of `src/`. */
export function folderSizes(): number[] {
  const folders = readdirSync(join(ROOT, 'src'), { recursive: true, withFileTypes: true })
  const parents = folders.filter(entry => entry.isFile()).map(({ parentPath }) => parentPath)
  return [...new Set(parents)].map(parent => parents.filter(each => each === parent).length)
}

/** The size of `dist/` without source maps, in kB. */
export function programSize(): number {
  const files = filesBelow('dist').filter(file => !file.endsWith('.map'))
  return kilobytes(sum(files.map(file => statSync(file).size)))
}

/** The size of the installed package, in kB. */
export async function packageSize(): Promise<number> {
  const options = { cwd: ROOT, env: environment() }
  const { stdout } = await promisify(execFile)(
    'npm',
    ['pack', '--dry-run', '--json', '--ignore-scripts', '--offline'],
    options
  )
  const [{ unpackedSize }]: [{ unpackedSize: number }] = JSON.parse(stdout)
  return kilobytes(unpackedSize)
}

/** The files of `src/` of which a function runs when the changes of one site are planned. */
export async function filesOfPlan(): Promise<string[]> {
  const program = await programByModules()
  const coverage = folder()
  const { cwd, env } = await stage()
  const { code, stderr } = await startCommand(
    process.execPath,
    [join(program, 'main.mjs'), 'plan', 'fleet'],
    { cwd, env: { ...env, NODE_V8_COVERAGE: coverage } }
  ).ended
  if (code !== 0) throw new Error(`exit ${code}: ${stderr}`)
  const [report = ''] = readdirSync(coverage)
  const { result }: Coverage = JSON.parse(await readFile(join(coverage, report), 'utf8'))
  return result.flatMap(({ url, functions }) => {
    if (!url.startsWith('file:') || !functions.some(hasRun)) return []
    const file = relative(program, fileURLToPath(url)).replaceAll('\\', '/')
    return /^(?:_|node_modules|build|schemas)/.test(file) ? [] : file
  })
}

/** A report of V8, as `NODE_V8_COVERAGE` writes it. */
interface Coverage {
  readonly result: readonly {
    readonly url: string
    readonly functions: readonly FunctionCoverage[]
  }[]
}

interface FunctionCoverage {
  readonly functionName: string
  readonly ranges: readonly { readonly startOffset: number; readonly count: number }[]
}

/** True for a function of a module that ran; the module itself has no name, and begins at 0. */
function hasRun({ functionName, ranges: [whole] }: FunctionCoverage): boolean {
  if (whole === undefined || whole.count === 0) return false
  return functionName !== '' || whole.startOffset > 0
}

/** Builds the program with a file for each of its modules; returns its folder. */
async function programByModules(): Promise<string> {
  const dir = folder()
  await build({
    cwd: ROOT,
    input: 'src/main.ts',
    platform: 'node',
    logLevel: 'silent',
    moduleTypes: { '.yaml': 'text' },
    transform: { target: 'node20', define: { WLANCTL_VERSION: '"0.0.0"' } },
    output: {
      dir,
      preserveModules: true,
      preserveModulesRoot: join(ROOT, 'src'),
      entryFileNames: '[name].mjs'
    }
  })
  return dir
}

function filesBelow(name: string): string[] {
  return readdirSync(join(ROOT, name), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
}

function kilobytes(bytes: number): number {
  return Math.ceil(bytes / 1000)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
