import { linkSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'vitest'
import { type Arena, arena, isFirst } from './arena.ts'
import { reply, siteId } from './service.ts'
import { all, fileBounds } from './survive.ts'

/**
 * Fleets of a pull request: a few KiB in a git pack, and megabytes of YAML. The program handles each in five
 * seconds and 400 MB; a single file in two seconds.
 */

const MIB = 1024 * 1024

const times = (count: number, piece: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => piece(at)).join('')

const filled = (piece: string, size = 4 * MIB - 1) => piece.repeat(Math.floor(size / piece.length))

const head = `site: { id: ${siteId(0)}, name: s0 }\nwlans:\n`

/** Files of at most 4 MiB with many errors, or with little content. */
const files: Readonly<Record<string, string>> = {
  'unknown fields':
    head +
    times(
      2100,
      at => `  w${at}: { ssid: a, ${'sid: 1, '.repeat(1)}${times(25, n => `field_${n}: 1, `)} }\n`
    ),
  '2.1 MiB of unknown fields': (
    head + times(4900, at => `  w${at}: { ssid: a, ${times(30, n => `fieldname${n}: 1, `)} }\n`)
  ).slice(0, 2.1 * MIB),
  'wrong values':
    head + times(4900, at => `  w${at}: { ssid: 1, vlan_id: no, enabled: 1, dtim: x, bands: 1 }\n`),
  'wrong sites': `sites:\n${'- 1\n'.repeat(190_000)}`,
  'sites without an id': `sites:\n${'- { name: a }\n'.repeat(60_000)}`,
  '20,000 wrong sites': `sites:\n${'- 1\n'.repeat(20_000)}`,
  '20,000 sites without an id': `sites:\n${'- { name: a }\n'.repeat(20_000)}`,
  'WLANs that fit':
    head +
    times(4900, at => `  w${at}: { ssid: a${at}, vlan_id: ${(at % 4000) + 1}, enabled: true }\n`),
  comments: `${head}  w: { ssid: a }\n${filled('# a comment that says nothing at all\n', 3.9 * MIB)}`,
  'syntax errors': filled('a: [\n'),
  'duplicate keys': `${head}${'  w: { ssid: a }\n'.repeat(200_000)}`,
  '20,000 aliases': `a: &a 1\nb: [${'*a,'.repeat(20_000)}]`,
  aliases: `a: &a 1\nb: [${'*a,'.repeat(190_000)}]`
}

async function withFiles(contents: Readonly<Record<string, string>>): Promise<Arena> {
  const made = await arena()
  for (const [name, text] of Object.entries(contents)) made.write(`wide/${name}.yaml`, text)
  return made
}

it('one file', async () => {
  const each: Record<string, () => Promise<unknown>> = {}
  for (const [name, text] of Object.entries(files)) {
    const made = await withFiles({ file: text })
    for (const words of ['--format json', '--format text', '--format html']) {
      const trial = { codes: [0, 3], bounds: fileBounds }
      each[`${name} ${words}`] = () => made.run(`validate wide ${words}`, trial)
    }
  }
  await all(each, async run => void (await run()), 1)
}, 600_000)

it('23 MiB of copies of one file', async () => {
  const copies = async (text: string) => {
    const made = await withFiles({ f0: text })
    const count = Math.min(300, Math.floor((23 * MIB) / text.length))
    for (let at = 1; at < count; at += 1) {
      linkSync(join(made.cwd, 'wide/f0.yaml'), join(made.cwd, `wide/f${at}.yaml`))
    }
    await made.run('validate wide --format json', { codes: [0, 3] })
  }
  await all(files, copies, 1)
}, 600_000)

it('100 files of comments', async () => {
  const made = await withFiles({
    f0: `profiles: { p0: { ssid: a } }\n${filled('# c\n', 3.9 * MIB)}`
  })
  for (let at = 1; at < 100; at += 1) {
    linkSync(join(made.cwd, 'wide/f0.yaml'), join(made.cwd, `wide/f${at}.yaml`))
  }
  await made.run('validate wide --format json', { codes: [3] })
})

it('SIGTERM ends a run on 23 MiB', async () => {
  const made = await withFiles({ f0: files['2.1 MiB of unknown fields'] ?? '' })
  for (let at = 1; at < 11; at += 1) {
    linkSync(join(made.cwd, 'wide/f0.yaml'), join(made.cwd, `wide/f${at}.yaml`))
  }
  // It may have exited before the signal arrives.
  await made.run('validate wide --format json', { codes: [3, 130], terminateAfter: 1 })
})

it('5,000 WLANs on one site, in every format', async () => {
  const live = Array.from({ length: 5000 }, (_, n) => ({
    id: `7d6f1c5e-0002-4000-8000-${n.toString(16).padStart(12, '0')}`,
    site_id: siteId(0),
    ssid: `w${n}`,
    vlan_id: 1
  }))
  const list = reply(200, live)
  const made = await arena(request => (isFirst(request) ? list : undefined))
  const declared = times(4900, n => `  w${n}: { ssid: w${n}, vlan_id: 2 }\n`)
  made.write('fleet/sites.yaml', `${head}${declared}`)
  const formats = ['text', 'json', 'markdown', 'html', 'github']
  const each = Object.fromEntries(formats.map(format => [format, `plan fleet --format ${format}`]))
  await all(each, async line => void (await made.run(line, { codes: [0] })), 2)
}, 300_000)

it('20,000 findings on one site, in HTML', async () => {
  const made = await withFiles({
    policy: 'policy: { unknown_fields: warn }\n',
    site:
      head + times(1000, at => `  w${at}: { ssid: a${at}, ${times(20, n => `field_${n}: 1, `)} }\n`)
  })
  await made.run('validate wide --format html', { codes: [0, 3] })
})
