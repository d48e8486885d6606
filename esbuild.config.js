// The build: the schema for editors, the validators, the page of the report, and the program in dist/.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import standalone from 'ajv/dist/standalone/index.js'
import { build } from 'esbuild'
import { declarableFields } from './schemas/declarable.js'

/** The generated modules: `#validators`, which every run needs, and `#forms`, for files of our own. */
const validators = {
  validators: { validateWlan: 'wlan.schema.json' },
  forms: {
    validatePlan: 'plan.schema.json',
    validateSnapshot: 'snapshot.schema.json',
    validateOutcomes: 'outcomes.schema.json',
    validateRecordLine: 'record.schema.json'
  }
}

/** @type {import('esbuild').BuildOptions & { metafile: true }} */
const common = {
  absWorkingDir: import.meta.dirname,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  logLevel: 'warning',
  metafile: true
}

/**
 * JSON comes as text that is parsed when the program runs: V8 takes three times as long for the same
 * data written as JavaScript.
 * @type {import('esbuild').Plugin}
 */
const jsonAsText = {
  name: 'json-as-text',
  setup({ onLoad }) {
    onLoad({ filter: /\.json$/ }, async ({ path }) => {
      const text = JSON.stringify(JSON.parse(await readFile(path, 'utf8')))
      return { contents: `export default JSON.parse(${JSON.stringify(text)})` }
    })
  }
}

/** Writes the part of the fleet's schema that is made, into the file that holds the rest. */
async function buildFleetSchema() {
  const file = 'schemas/fleet.schema.json'
  const before = await readText(file)
  const fleet = JSON.parse(before)
  fleet.$defs.wlanFields = declarableFields(await readJson('schemas/wlan.schema.json'))
  const after = prettyJson(fleet)
  if (after !== before) await writeFile(inRepository(file), after)
}

/**
 * Indented, with lists of plain values on one line where they fit, as the formatter has it.
 * @param {unknown} value
 */
function prettyJson(value) {
  const lists = /^( *)(.*\[)\n([^[\]{}]+)\n *(\],?)$/gm
  return `${JSON.stringify(value, null, 2)}\n`.replace(
    lists,
    (whole, indent, before, list, after) => {
      const line = `${indent}${before}${list.trim().replaceAll(/\n */g, ' ')}${after}`
      return line.length <= 100 ? line : whole
    }
  )
}

/** Compiles the schemas to modules in build/ that need no ajv when they run. */
async function buildValidators() {
  const made = Object.entries(validators).map(([name, functions]) => buildModule(name, functions))
  return Object.assign({}, ...(await Promise.all(made)))
}

/**
 * @param {string} name
 * @param {Record<string, string>} functions what each of them is made from
 */
async function buildModule(name, functions) {
  const ajv = new Ajv2020({
    strict: true,
    // Of a file of ours the first error is told; of one with a million of them no other is looked for.
    allErrors: name !== 'forms',
    discriminator: true,
    // No value ever enters an error, and fields may have the names of Object.prototype.
    verbose: false,
    ownProperties: true,
    messages: false,
    inlineRefs: false,
    keywords: ['x-wlanctl'],
    code: { source: true, esm: true }
  })
  for (const file of Object.values(functions)) {
    ajv.addSchema(withBranchesTold(withFieldsApart(await readJson(`schemas/${file}`))))
  }
  const contents = standalone.default(ajv, functions)
  const { metafile } = await build({
    ...common,
    stdin: { contents, resolveDir: import.meta.dirname },
    outfile: `build/${name}.js`,
    minify: true
  })
  return metafile.inputs
}

/**
 * The same schema with each top-level field in a definition of its own: ajv makes a function of
 * each, and Node compiles only those of the fields that a run meets.
 * @param {{ $defs: object, properties: object }} schema
 */
function withFieldsApart(schema) {
  const fields = Object.entries(schema.properties)
  return {
    ...schema,
    properties: Object.fromEntries(
      fields.map(([name]) => [name, { $ref: `#/$defs/field:${name}` }])
    ),
    $defs: {
      ...schema.$defs,
      ...Object.fromEntries(fields.map(([name, field]) => [`field:${name}`, field]))
    }
  }
}

/**
 * The same schema, and of its branches (the lines of a record) only the one is tried that a value's `step`
 * names. Editors know no `discriminator`, so it is not in the schema itself.
 * @param {{ oneOf?: object[] }} schema
 */
function withBranchesTold(schema) {
  return schema.oneOf ? { ...schema, discriminator: { propertyName: 'step' } } : schema
}

/**
 * The style and the script of the HTML report, to a module in build/: whole, minified, and with the
 * hashes by which the page's policy knows them.
 */
async function buildPage() {
  const { outputFiles, metafile } = await build({
    ...common,
    platform: 'browser',
    format: 'iife',
    target: 'es2022',
    entryPoints: ['src/report/html/page/main.ts', 'src/report/html/page/style.css'],
    outdir: 'build/page',
    minify: true,
    write: false
  })
  const textOf = ending => outputFiles.find(({ path }) => path.endsWith(ending)).text.trim()
  const style = textOf('.css')
  // A tab is only ever in a literal; there it may be written so, and reports hold none.
  const script = textOf('.js').replaceAll('\t', '\\t')
  const page = { style, script, styleHash: hashOf(style), scriptHash: hashOf(script) }
  await writeFile(inRepository('build/page.js'), `export const page = ${JSON.stringify(page)}\n`)
  return metafile.inputs
}

/** Of the examples, what a new repository has no use for. */
const notForStart = ['workflows/parts.yml', 'README.md']

/** The CI of the examples, for the repositories that `init` makes, as text to a module in build/. */
async function buildStarter() {
  const starter = {
    github: await textsBelow('examples/github/.github'),
    gitlab: await textsBelow('examples/gitlab')
  }
  const text = `export const starter = ${JSON.stringify(starter)}\n`
  await writeFile(inRepository('build/starter.js'), text)
}

/**
 * The files below a folder, by path; sorted.
 * @param {string} folder
 */
async function textsBelow(folder) {
  const entries = await readdir(inRepository(folder), { recursive: true, withFileTypes: true })
  const files = entries
    .filter(entry => entry.isFile())
    .map(({ parentPath, name }) => relative(inRepository(folder), join(parentPath, name)))
    .map(file => file.replaceAll('\\', '/'))
    .filter(file => !notForStart.includes(file))
    .sort()
  const texts = files.map(async file => [file, await readText(`${folder}/${file}`)])
  return Object.fromEntries(await Promise.all(texts))
}

/** @param {string} text */
function hashOf(text) {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}

/** undici and commander are CommonJS, and bundled as ESM they still load Node's own modules by `require`. */
const requireInEsm =
  "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);"

/**
 * Bundles the program to dist/ as ESM, one chunk for each part that is imported only when it is needed,
 * with source maps. `WLANCTL_VERSION` in the sources becomes the version of the package.
 */
async function buildProgram() {
  const { version } = await readJson('package.json')
  await rm(inRepository('dist'), { recursive: true, force: true })
  const { metafile } = await build({
    ...common,
    entryPoints: { wlanctl: 'src/main.ts' },
    outdir: 'dist',
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    loader: { '.yaml': 'text' },
    plugins: [jsonAsText],
    define: { WLANCTL_VERSION: JSON.stringify(version) },
    banner: { js: requireInEsm },
    minifySyntax: true,
    minifyWhitespace: true,
    sourcemap: true,
    sourcesContent: false,
    legalComments: 'none'
  })
  await chmod(inRepository('dist/wlanctl.js'), 0o755)
  return metafile.inputs
}

/**
 * Writes name, version and licence text of every package that is part of the program.
 * @param {string[]} inputs the files that it was made of
 */
async function writeLicences(inputs) {
  const folders = inputs.flatMap(
    input => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? []
  )
  const texts = [...new Set(folders)].sort().map(async folder => {
    const { name, version, license } = await readJson(`${folder}/package.json`)
    const file = (await readdir(inRepository(folder))).find(entry => /^licen[cs]e/i.test(entry))
    if (file === undefined) throw new Error(`${folder} has no licence text`)
    return `${name} ${version} (${license})\n\n${(await readText(`${folder}/${file}`)).trim()}\n`
  })
  const rule = `\n${'-'.repeat(80)}\n\n`
  await writeFile(
    inRepository('dist/THIRD-PARTY-LICENSES.txt'),
    (await Promise.all(texts)).join(rule)
  )
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
if (existsSync(inRepository('src/main.ts'))) {
  const programParts = await buildProgram()
  const parts = [validatorParts, pageParts, programParts]
  await writeLicences(parts.flatMap(made => Object.keys(made)))
} else {
  console.log('There is no src/main.ts: made the schemas and the validators only.')
}
