// Measures the time and memory of `wlanctl validate` on hostile files, beyond those of a small fleet. Prints
// a table without checking limits. Build first; arguments select rows by name.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MIB = 1024 * 1024
const program = join(import.meta.dirname, '../../dist/wlanctl.js')
const id = '4ac1dcf4-9d8b-4211-95c4-057819f0862b'
const site = `site: { id: ${id}, name: hq }\nwlans:\n`

/** @param {number} count @param {(at: number) => string} piece */
const times = (count, piece) => Array.from({ length: count }, (_, at) => piece(at)).join('')

/** @param {string} piece */
const filled = piece => piece.repeat(Math.floor((4 * MIB - 1) / piece.length))

/** @param {string} schema */
const rule = schema => `policy: { rules: [{ name: r, message: m, require: ${schema} }] }\n`

/** The input by file; each file has 4 MiB at most. */
const fleets = {
  'a small fleet': [`${site}  w: { ssid: a }\n`],
  '200,000 lists': [`a: [${'[],'.repeat(199_990)}]`],
  '200,000 maps': [`a: [${'{},'.repeat(199_990)}]`],
  '200,000 maps in lines': [`a:\n${'- {}\n'.repeat(199_990)}`],
  '200,000 numbers': [`a: [${'1,'.repeat(199_990)}]`],
  '200,000 texts in quotes': [`a: [${'"a",'.repeat(199_990)}]`],
  '200,000 lists in lines': [`a:\n${'- []\n'.repeat(199_990)}`],
  '200,000 commented items': [`a:\n${'- 1 # c\n'.repeat(199_990)}`],
  '200,000 comments': [`a:\n${'# c\n'.repeat(700_000)}`],
  '190,000 wrong sites': [`sites:\n${'- 1\n'.repeat(190_000)}`],
  '60,000 sites without an id': [`sites:\n${'- { name: a }\n'.repeat(60_000)}`],
  '40 maps of 5,000 keys': [times(38, m => `k${m}:\n${times(2500, k => `  k${k}: 1\n`)}`)],
  'a map of 40,000 keys': [times(40_000, at => `k${at}: 1\n`)],
  '100,000 keys in lists': [`a:\n${'- a: 1\n'.repeat(66_000)}`],
  '100,000 anchors': [`a:\n${times(100_000, at => `- &a${at} 1\n`)}`],
  '190,000 aliases': [`a: &a 1\nb: [${'*a,'.repeat(190_000)}]`],
  'an alias bomb': [
    `a: &a [${'x,'.repeat(9)}x]\n${times(9, at => `b${at}: &b${at} [${`*${at ? `b${at - 1}` : 'a'},`.repeat(9)}]\n`)}`
  ],
  'brackets that nest': ['['.repeat(4 * MIB - 1)],
  'lines that nest': [times(2000, at => `${' '.repeat(at)}a:\n`)],
  '4 MiB of spaces': [filled(' ')],
  '4 MiB of lines': [filled('\n')],
  '4 MiB of commas': [`[${filled(',').slice(1)}`],
  '4 MiB of dashes in lines': [filled('-\n')],
  '4 MiB of question marks': [filled('? ')],
  '4 MiB of colons': [filled(': ')],
  '4 MiB of comments': [filled('#\n')],
  '4 MiB of documents': [filled('---\n')],
  '4 MiB of tags': [filled('!x ')],
  '4 MiB of directives': [filled('%A\n')],
  '4 MiB of anchors': [filled('a: &a\n')],
  '4 MiB of block texts': [filled('- |\n')],
  '4 MiB of folded lines': [`a: >\n${filled('  a\n').slice(8)}`],
  '4 MiB of quoted lines': [`a: "${filled('\n').slice(10)}"`],
  '4 MiB of short quoted lines': [`a: "${filled(' a\n').slice(10)}"`],
  '4 MiB of empty folded lines': [`a: >\n${filled('\n').slice(10)}`],
  '4 MiB of one quoted text': [`a: "${filled('a').slice(10)}"`],
  '4 MiB of escapes': [`a: "${filled('\\x41').slice(12)}"`],
  '4 MiB of one plain text': [`a: ${filled('a ').slice(10)}`],
  '4 MiB of plain lines': [`a:\n${filled(' a\n').slice(10)}`],
  '4 MiB of carriage returns': [filled('\r')],
  '4 MiB of quotes': [filled('"')],
  '4 MiB of one key': [`${filled('k').slice(10)}: 1`],
  '4 MiB of wrong WLANs': [
    site + times(4900, at => `  w${at}: { ssid: 1, ${'x: 1, '.repeat(30)} }\n`)
  ],
  '4,900 WLANs, all wrong': [site + times(4900, at => `  w${at}: { sid: 1, dtim: x }\n`)],
  'sites times WLANs': [
    `sites:\n${times(4000, at => `  - { id: ${id.slice(0, -4)}${String(at).padStart(4, '0')}, name: s${at} }\n`)}wlans:\n${times(4000, at => `  w${at}: { ssid: a }\n`)}`
  ],
  'profiles that multiply': [
    `${site}  w: { ssid: a, $extends: [${'p,'.repeat(50_000)}] }\nprofiles: { p: { ${times(100, at => `f${at}: 1, `)} } }\n`
  ],
  'a pattern and a long text': [
    `${site}  w: { ssid: ${'ab'.repeat(1_900_000)} }\n`,
    rule('{ properties: { ssid: { pattern: "[ab]*a[ab]{900}[cd]" } } }')
  ],
  'a pattern and many texts': [
    `${site}${times(4900, at => `  w${at}: { ssid: ${'ab'.repeat(300)}${at} }\n`)}`,
    rule('{ properties: { ssid: { pattern: "[ab]*a[ab]{900}[cd]" } } }')
  ],
  'large patterns': [
    `${site}  w: { ssid: a }\n`,
    rule(
      `{ anyOf: [${times(150, at => `{ pattern: "x{${at}}(.{1000}|.{1000})(.{1000}|.{1000})" },`)}] }`
    )
  ],
  'a hundred large rules': [
    `${site}  w: { ssid: a }\n`,
    `policy: { rules: [${times(100, at => `{ name: r${at}, message: m, require: { properties: { ${times(80, p => `p${p}: { type: object, minProperties: 1, maxProperties: 2 },`)} } } },`)}] }\n`
  ],
  'rules that complain of everything': [
    `${site}${times(30, at => `  w${at}: { f: [${'1,'.repeat(4900)}] }\n`)}`,
    rule(`{ additionalProperties: { items: { allOf: [${'{ not: {} },'.repeat(16)}] } } }`)
  ],
  'references that multiply': [
    `${site}  w: { ssid: a }\n`,
    rule(
      `{ $ref: "#/$defs/d0", $defs: { ${times(40, at => `d${at}: { allOf: [{ $ref: "#/$defs/d${at + 1}" }, { $ref: "#/$defs/d${at + 1}" }] },`)} d40: {} } }`
    )
  ]
}

const probe = `data:text/javascript,process.on("exit",()=>process.stderr.write("\\n@"+process.resourceUsage().maxRSS+"@"+(process.resourceUsage().userCPUTime+process.resourceUsage().systemCPUTime)))`

/** @param {readonly string[]} files */
function measure(files) {
  const fleet = mkdtempSync(join(tmpdir(), 'wlanctl-bench-'))
  try {
    for (const [at, text] of files.entries()) writeFileSync(join(fleet, `${at}.yaml`), text)
    const start = process.hrtime.bigint()
    const { status, signal, stdout, stderr } = spawnSync(
      process.execPath,
      ['--import', probe, program, 'validate', fleet, '--format', 'json'],
      { encoding: 'utf8', maxBuffer: 64 * MIB }
    )
    const seconds = Number(process.hrtime.bigint() - start) / 1e9
    const [memory, cpu] = stderr.split('@').slice(-2).map(Number)
    const found = stdout === '' ? [] : JSON.parse(stdout).findings
    const codes = [...new Set(found.map(({ code }) => code))]
    return { seconds, cpu: cpu / 1e6, memory: memory / 1024, end: status ?? signal, codes }
  } finally {
    rmSync(fleet, { recursive: true })
  }
}

const args = process.argv.slice(2)
const floor = measure(fleets['a small fleet'])
console.log(`Hostile files on Node ${process.version}: seconds, and MB beyond a small fleet\n`)
console.log('| files | s | CPU s | MB | exit | findings |\n|---|---|---|---|---|---|')
for (const [name, files] of Object.entries(fleets)) {
  if (args.length > 0 && !args.some(word => name.includes(word))) continue
  const { seconds, cpu, memory, end, codes } = measure(files)
  const cells = [
    name,
    seconds.toFixed(2),
    cpu.toFixed(2),
    (memory - floor.memory).toFixed(0),
    end,
    codes.slice(0, 3).join(' ')
  ]
  console.log(`| ${cells.join(' | ')} |`)
}
