// Plants one bug after the other in a copy of the tree, and requires that its test fails. Arguments select
// bugs by words of their names.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import { parse } from 'yaml'

/** @typedef {{ name: string, file: string, find: string, replace: string, test: string }} Mutant */

const root = join(import.meta.dirname, '../..')
const words = process.argv.slice(2).map(word => word.toLowerCase())
const leftOut = new Set(['node_modules', '.git', 'coverage'])

/** @type {Record<string, Record<string, [name: string, find: string, replace: string][]>>} */
const planted = parse(readFileSync(join(import.meta.dirname, 'mutants.yaml'), 'utf8'))

/** @type {Mutant[]} */
const all = Object.entries(planted).flatMap(([test, files]) =>
  Object.entries(files).flatMap(([file, rows]) =>
    rows.map(([name, find, replace]) => ({ name, file, find, replace, test }))
  )
)
const mutants = all.filter(({ name }) => words.every(word => name.toLowerCase().includes(word)))

/** The output of the last command. */
let output = ''
const copy = mkdtempSync(join(tmpdir(), 'wlanctl-mutants-'))
process.exitCode = 1
try {
  cpSync(root, copy, {
    recursive: true,
    filter: path => !leftOut.has(relative(root, path).split(sep)[0] ?? '')
  })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  say('the tests of the unchanged code')
  const tests = [...new Set(mutants.map(({ test }) => test))]
  if (!build() || !passes(...tests)) say(`${output}\nthe planted bugs cannot be tested`)
  else process.exitCode = plantAll() === 0 ? 0 : 1
} finally {
  rmSync(copy, { recursive: true, force: true })
}

/** Plants all mutants; returns the number that no test caught. */
function plantAll() {
  const missed = mutants.filter(mutant => !isCaught(mutant))
  say(`\n${mutants.length - missed.length} caught, ${missed.length} missed`)
  return missed.length
}

/**
 * True if the named test fails with the bug in the code.
 * @param {Mutant} mutant
 */
function isCaught({ name, file, find, replace, test }) {
  const path = join(copy, file)
  const before = readFileSync(path, 'utf8')
  writeFileSync(
    path,
    before.replace(find, () => replace)
  )
  const verdict = build() ? (passes(test) ? 'MISSED' : 'caught') : 'NOT BUILT'
  writeFileSync(path, before)
  say(`${verdict}  ${name}  (${test})`)
  return verdict === 'caught'
}

/** Builds the program, which some tests run. The declarations are built without a check of types, which a bug may break. */
function build() {
  return runs('rolldown.config.js')
}

/** @param {string[]} tests */
function passes(...tests) {
  return runs('node_modules/vitest/vitest.mjs', 'run', '--bail', '1', ...tests)
}

/** @param {string[]} argv */
function runs(...argv) {
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, {
    cwd: copy,
    encoding: 'utf8'
  })
  output = stdout + stderr
  return status === 0
}

/** @param {string} line */
function say(line) {
  process.stdout.write(`${line}\n`)
}
