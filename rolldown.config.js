// The build: the schema for editors, the validators, the page of the report, and the program in dist/.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join, posix, relative } from 'node:path'
import { promisify } from 'node:util'
import { transform } from 'lightningcss'
import { build } from 'rolldown'
import { declarableFields } from './schemas/declarable.js'
import { validatorsOf, wlanValidatorOf } from './schemas/validators.js'

/** The schemas of `#forms`, for files of wlanctl; `#validators` has those of WLANs. */
const forms = {
  validatePlan: 'plan.schema.json',
  validateSnapshot: 'snapshot.schema.json',
  validateOutcomes: 'outcomes.schema.json',
  validateRecordLine: 'record.schema.json',
  validateCiResult: 'ci-result.schema.json'
}

/** Removes whitespace and dead code; keeps names for the stack traces of bug reports. */
const compress = { compress: true, mangle: false, codegen: true }

/**
 * Modules that at least this number of commands use are bundled into the common chunk, because each further
 * file costs Node 0.4 ms, whatever its size. The HTTP client has its own chunk: 15 of the 25 commands need
 * it, and `validate` does not.
 */
const SHARED_BY = 16
const ofClient = /\/node_modules\/undici\/|parts-of-undici|\/src\/service\//

/**
 * Bundles JSON as text that the program parses: V8 takes three times as long for the same data as JavaScript.
 * @type {import('rolldown').Plugin}
 */
const jsonAsText = {
  name: 'json-as-text',
  load: {
    filter: { id: /\.json$/ },
    async handler(id) {
      const text = JSON.stringify(JSON.parse(await readFile(id, 'utf8')))
      return { code: `export default JSON.parse(${JSON.stringify(text)})`, moduleType: 'js' }
    }
  }
}

/**
 * Gives Commander an empty module for processes: it needs them for external subcommands, which wlanctl does not have,
 * and loading the real one takes Node 3 ms at each start.
 * @type {import('rolldown').Plugin}
 */
const withoutProcesses = {
  name: 'without-processes',
  resolveId: {
    filter: { id: /^node:child_process$/ },
    handler: (id, importer = '') => (importer.includes('/commander/') ? `\0unused:${id}` : null)
  },
  load: {
    filter: { id: /^\0unused:/ },
    handler: () => 'module.exports = {}'
  }
}

/**
 * Bundles the parts of undici that send requests: its index loads fetch, WebSocket, mocks and caches, half of the client.
 * @type {import('rolldown').Plugin}
 */
const partsOfUndici = {
  name: 'parts-of-undici',
  resolveId: { filter: { id: /^undici$/ }, handler: () => '\0parts-of-undici' },
  load: {
    filter: { id: /^\0parts-of-undici$/ },
    handler() {
      const parts = {
        Pool: 'dispatcher/pool',
        EnvHttpProxyAgent: 'dispatcher/env-http-proxy-agent',
        errors: 'core/errors'
      }
      /** @param {string} file */
      const path = file =>
        JSON.stringify(join(import.meta.dirname, 'node_modules/undici/lib', `${file}.js`))
      const lines = [
        ...Object.entries(parts).map(
          ([name, file]) => `export { default as ${name} } from ${path(file)}`
        ),
        // The index adds this to the dispatchers; a proxy needs it.
        `import connect from ${path('api/api-connect')}`,
        `import Dispatcher from ${path('dispatcher/dispatcher')}`,
        'Dispatcher.prototype.connect = connect'
      ]
      return { code: lines.join('\n'), moduleType: 'js' }
    }
  }
}

/**
 * Bundles modules, and returns the list of source files, with `/` on Windows, too.
 * @param {import('rolldown').BuildOptions} options
 */
async function bundle(options) {
  const checks = { pluginTimings: false }
  const { output } = await build({ cwd: import.meta.dirname, checks, ...options })
  const inputs = output.flatMap(part => (part.type === 'chunk' ? part.moduleIds : []))
  return inputs.map(id => id.replaceAll('\\', '/'))
}

/** Writes the generated part of the fleet schema into the file with the rest of the schema. */
async function buildFleetSchema() {
  const file = 'schemas/fleet.schema.json'
  const before = await readText(file)
  const fleet = JSON.parse(before)
  fleet.$defs.wlanFields = declarableFields(await readJson('schemas/wlan.schema.json'))
  const after = prettyJson(fleet)
  if (after !== before) await writeFile(inRepository(file), after)
}

/**
 * Indents JSON like the formatter, with lists of plain values on one line if they fit.
 * @param {unknown} value
 */
function prettyJson(value) {
  const plain = String.raw`(?:"(?:[^"\\\n]|\\.)*"|[\w.+-]+)`
  const lists = new RegExp(String.raw`^( *)(.*\[)\n((?: *${plain},?\n)+) *(\],?)$`, 'gm')
  // A list of one list.
  const nested = new RegExp(String.raw`^( *)(.*\[)\n( *\[(?:${plain}(?:, )?)*\]\n) *(\],?)$`, 'gm')
  return [lists, nested].reduce(
    (text, pattern) =>
      text.replace(pattern, (whole, indent, before, list, after) => {
        const line = `${indent}${before}${list.trim().replaceAll(/\n */g, ' ')}${after}`
        return line.length <= 100 ? line : whole
      }),
    `${JSON.stringify(value, null, 2)}\n`
  )
}

/** Compiles the schemas to modules in build/ that do not need ajv at runtime. */
async function buildValidators() {
  const wlan = await readJson('schemas/wlan.schema.json')
  const schemas = await Promise.all(Object.values(forms).map(file => readJson(`schemas/${file}`)))
  return [
    ...(await buildModule('validators', wlanValidatorOf(wlan))),
    ...(await buildModule('forms', validatorsOf(schemas, forms)))
  ]
}

/**
 * @param {string} name
 * @param {string} contents
 */
function buildModule(name, contents) {
  const id = `${name}.js`
  return bundle({
    input: id,
    platform: 'node',
    plugins: [
      {
        name: 'validators',
        resolveId: asked => (asked === id ? id : null),
        load: asked => (asked === id ? contents : null)
      }
    ],
    output: { file: `build/${name}.js`, minify: true }
  })
}

/**
 * Bundles the style and the script of the HTML report to a module in build/: minified, with the hashes for
 * its content security policy.
 */
async function buildPage() {
  const file = 'build/page.js'
  const inputs = await bundle({
    input: 'src/report/html/page/main.ts',
    platform: 'browser',
    transform: { target: 'es2022' },
    output: { file, format: 'iife', minify: true }
  })
  // Tabs occur only in literals, where an escape is equivalent; reports must not contain them.
  const script = (await readText(file)).trim().replaceAll('\t', '\\t')
  const filename = 'src/report/html/page/style.css'
  const { code } = transform({
    filename,
    code: Buffer.from(await readText(filename)),
    minify: true
  })
  const style = code.toString()
  const page = { style, script, styleHash: hashOf(style), scriptHash: hashOf(script) }
  await writeFile(inRepository(file), `export const page = ${JSON.stringify(page)}\n`)
  return inputs
}

/** Writes the CI files of the examples, which `init` copies, as text to a module in build/. */
async function buildStarter() {
  const starter = {
    github: await textsBelow('examples/github/.github'),
    gitlab: await textsBelow('examples/gitlab')
  }
  const text = `export const starter = ${JSON.stringify(starter)}\n`
  await writeFile(inRepository('build/starter.js'), text)
}

/**
 * The rows of the first table below a heading, without its head.
 * @param {string} heading
 * @param {string} page
 */
function rowsBelow(heading, page) {
  const [, section = ''] = page.split(`${heading}\n`)
  const [, body = ''] = /\n\| --- .*\n((?:\|.*\n)+)/.exec(section) ?? []
  return [...body.matchAll(/^\| (.*?) \| (.*) \|$/gm)].map(([, ...cells]) => cells)
}

/** Writes the reference of findings and words as data to a module in build/, for `explain`. */
async function buildFindings() {
  const page = await readText('schemas/findings.md')
  const entry =
    /^## (\w+)\n\n```text\n(error|warning|info): ([\s\S]*?)\n```(?:\n\n\*\*Fix:\*\* (.*))?$/gm
  const findings = Object.fromEntries(
    [...page.matchAll(entry)].map(([, code, level, sample, fix]) => [code, { level, sample, fix }])
  )
  const terms = [
    ...rowsBelow('## Exit codes', await readText('examples/commands.md')),
    ...rowsBelow('## Words', await readText('schemas/README.md'))
  ].map(([names, meaning]) => ({ names: names.split(', '), meaning }))
  const lines = Object.entries({ findings, terms }).map(
    ([name, data]) => `export const ${name} = JSON.parse(${JSON.stringify(JSON.stringify(data))})\n`
  )
  await writeFile(inRepository('build/findings.js'), lines.join(''))
}

/**
 * The text files below a directory by path, sorted.
 * @param {string} folder
 */
async function textsBelow(folder) {
  const entries = await readdir(inRepository(folder), { recursive: true, withFileTypes: true })
  const files = entries
    .filter(entry => entry.isFile())
    .map(({ parentPath, name }) => relative(inRepository(folder), join(parentPath, name)))
    .map(file => file.replaceAll('\\', '/'))
    .sort()
  const texts = files.map(async file => [file, await readText(`${folder}/${file}`)])
  return Object.fromEntries(await Promise.all(texts))
}

/** @param {string} text */
function hashOf(text) {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}

/**
 * Bundles the program and the library to dist/ as ESM, with one chunk per lazily imported part, and source maps. Replaces
 * `WLANCTL_VERSION` with the version of the package.
 */
async function buildProgram() {
  const { version } = await readJson('package.json')
  const inputs = await bundle({
    input: { wlanctl: 'src/main.ts', index: 'src/index.ts' },
    platform: 'node',
    plugins: [jsonAsText, withoutProcesses, partsOfUndici],
    moduleTypes: { '.yaml': 'text' },
    transform: { target: 'node20', define: { WLANCTL_VERSION: JSON.stringify(version) } },
    output: {
      dir: 'dist',
      cleanDir: true,
      chunkFileNames: 'chunks/[name]-[hash].js',
      codeSplitting: {
        groups: [
          { name: startOf(inRepository('src/main.ts')), priority: 1 },
          { name: 'shared', minShareCount: SHARED_BY, test: id => !ofClient.test(id) }
        ]
      },
      minify: compress,
      // V8 stores a string with any other character in twice the memory.
      charset: 'ascii',
      comments: { legal: false },
      sourcemap: true
    }
  })
  await chmod(inRepository('dist/wlanctl.js'), 0o755)
  return inputs
}

/**
 * Names the chunk of the modules that the program loads at its start: what its file imports, with static imports only. The
 * tag `$initial` would add those of the library.
 * @param {string} main
 * @returns {import('rolldown').CodeSplittingNameFunction}
 */
function startOf(main) {
  /** @type {Set<string> | undefined} */
  let start
  return (id, chunking) => {
    if (start === undefined) {
      start = new Set([main, ...(chunking.getModuleInfo(main)?.dynamicallyImportedIds ?? [])])
      for (const each of start) {
        for (const imported of chunking.getModuleInfo(each)?.importedIds ?? []) start.add(imported)
      }
    }
    return id !== main && start.has(id) ? 'start' : null
  }
}

/**
 * Writes the declarations of the library to dist/types/: one file for each file of `src/` that its types refer to.
 * Imports get the extension of the output.
 */
async function buildTypes() {
  const tsc = inRepository('node_modules/typescript/bin/tsc')
  await promisify(execFile)(process.execPath, [tsc, '-p', inRepository('src/tsconfig.types.json')])
  const files = new Set(['index.d.ts'])
  for (const file of files) {
    const text = (await readText(`build/types/${file}`)).replace(
      /(from '|import\(")(\.[^'"]+)\.ts(?=['"])/g,
      (_, start, path) => {
        files.add(posix.join(posix.dirname(file), `${path}.d.ts`))
        return `${start}${path}.js`
      }
    )
    await mkdir(inRepository(`dist/types/${posix.dirname(file)}`), { recursive: true })
    await writeFile(inRepository(`dist/types/${file}`), text)
  }
}

/**
 * Writes the name, version and licence of every bundled package to dist/, and the list of them for the SBOM to build/.
 * @param {string[]} inputs the files that it was made of
 */
async function writeLicences(inputs) {
  const folders = inputs.flatMap(
    input => /node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? []
  )
  /** @type {string[]} */
  const bundled = []
  const texts = [...new Set(folders)].sort().map(async folder => {
    const { name, version, license } = await readJson(`${folder}/package.json`)
    bundled.push(`${name}@${version}`)
    const file = (await readdir(inRepository(folder))).find(entry => /^licen[cs]e/i.test(entry))
    if (file === undefined) throw new Error(`${folder} has no licence text`)
    return `${name} ${version} (${license})\n\n${(await readText(`${folder}/${file}`)).trim()}\n`
  })
  const rule = `\n${'-'.repeat(80)}\n\n`
  await writeFile(
    inRepository('dist/THIRD-PARTY-LICENSES.txt'),
    (await Promise.all(texts)).join(rule)
  )
  await writeFile(inRepository('build/bundled.json'), JSON.stringify(bundled.sort()))
}

/** @param {string} file */
function inRepository(file) {
  return join(import.meta.dirname, file)
}

/** @param {string} file */
function readText(file) {
  return readFile(inRepository(file), 'utf8')
}

/** @param {string} file */
async function readJson(file) {
  return JSON.parse(await readText(file))
}

await buildFleetSchema()
const validatorParts = await buildValidators()
const pageParts = await buildPage()
await buildStarter()
await buildFindings()
if (existsSync(inRepository('src/main.ts'))) {
  const programParts = await buildProgram()
  await buildTypes()
  const parts = [validatorParts, pageParts, programParts]
  await writeLicences(parts.flat())
} else {
  console.log('There is no src/main.ts: made the schemas and the validators only.')
}
