import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { Failure } from '../../../src/core/model/failure.ts'
import { limits } from '../../../src/fleet/limits.ts'
import { loadFleet } from '../../../src/fleet/load.ts'
import { fleetOf, HQ, lines, temporaryDirectory } from '../fleet.ts'

const site = (name: string, digit: number) =>
  `site: { id: 4ac1dcf4-9d8b-4211-95c4-05781900000${digit}, name: ${name} }\n`

async function load(cwd: string, directory = '.') {
  const { desired, findings } = await loadFleet({ directory, cwd })
  return { sites: desired?.sites.map(({ name }) => name), findings: lines(findings) }
}

describe('the files of a fleet', () => {
  it('are all YAML files below it, except hidden ones and node_modules', async () => {
    const fleet = fleetOf({
      'b.yaml': site('b', 1),
      'a/x.yml': site('a', 2),
      'x.yaml/c.yaml': site('c', 3),
      '.git/d.yaml': 'not: ours',
      '.hidden.yaml': 'not: ours',
      'node_modules/e/e.yaml': 'not: ours',
      'README.md': 'not: ours',
      'x.json': 'not: ours'
    })
    expect(await load(fleet)).toEqual({ sites: ['a', 'b', 'c'], findings: [] })
  })

  it('have locations relative to the working directory, and origins relative to the fleet', async () => {
    const cwd = fleetOf({ 'fleet/sites/hq.yaml': `${HQ}  w: { ssid: a }\n`, 'other/x': '' })
    for (const [at, directory] of [
      [cwd, 'fleet'],
      [cwd, join(cwd, 'fleet')],
      [join(cwd, 'other'), '../fleet']
    ] as const) {
      const wlan = (await loadFleet({ cwd: at, directory })).desired?.sites[0]?.wlans[0]
      const file = relative(at, join(cwd, 'fleet/sites/hq.yaml'))
      expect(wlan?.file).toBe('sites/hq.yaml')
      expect(wlan?.place).toEqual({ file, line: 6, column: 3 })
    }
  })

  it('are read once if they are links to each other', async () => {
    const fleet = fleetOf({ '..data/hq.yaml': site('hq', 1), 'z.yaml': site('z', 2) })
    symlinkSync('..data/hq.yaml', join(fleet, 'hq.yaml'))
    symlinkSync('z.yaml', join(fleet, 'a.yaml'))
    expect(await load(fleet)).toEqual({ sites: ['hq', 'z'], findings: [] })
  })

  it('may be in a directory that is a link', async () => {
    const cwd = fleetOf({ 'real/hq.yaml': site('hq', 1) })
    symlinkSync('real', join(cwd, 'fleet'))
    expect(await load(cwd, 'fleet')).toEqual({ sites: ['hq'], findings: [] })
  })

  it('are not read through links that leave the fleet', async () => {
    const outside = fleetOf({ 'secret.yaml': site('x', 1), 'folder/y.yaml': site('y', 2) })
    const fleet = fleetOf({ 'hq.yaml': site('hq', 3) })
    symlinkSync(join(outside, 'secret.yaml'), join(fleet, 'file.yaml'))
    symlinkSync(join(outside, 'folder'), join(fleet, 'folder'))
    symlinkSync('/proc/self/environ', join(fleet, 'env.yml'))
    symlinkSync('nowhere', join(fleet, 'nowhere.yaml'))
    symlinkSync('/etc/hosts', join(fleet, 'not-yaml'))
    expect(await load(fleet)).toEqual({
      sites: undefined,
      findings: [
        'env.yml:1:1 LINK_LEADS_OUT',
        'file.yaml:1:1 LINK_LEADS_OUT',
        'folder:1:1 LINK_LEADS_OUT',
        'nowhere.yaml:1:1 LINK_LEADS_OUT'
      ]
    })
  })

  it('may contain circular links', async () => {
    const fleet = fleetOf({ 'a/hq.yaml': site('hq', 1) })
    symlinkSync('..', join(fleet, 'a/up'))
    symlinkSync('.', join(fleet, 'a/self'))
    symlinkSync('loop.yaml', join(fleet, 'loop.yaml'))
    expect((await load(fleet)).findings).toEqual(['loop.yaml:1:1 LINK_LEADS_OUT'])
  })

  it('are regular files, and no pipes or devices', async () => {
    const fleet = fleetOf({ 'hq.yaml': site('hq', 1) })
    execFileSync('mkfifo', [join(fleet, 'pipe.yaml')])
    symlinkSync('pipe.yaml', join(fleet, 'link.yaml'))
    expect((await load(fleet)).findings).toEqual([
      'link.yaml:1:1 FILE_NOT_REGULAR',
      'pipe.yaml:1:1 FILE_NOT_REGULAR'
    ])
  })

  it('are at most 4 MiB', async () => {
    const text = site('hq', 1)
    const fleet = fleetOf({
      'fits.yaml': text + ' '.repeat(limits.bytes - text.length),
      'large.yaml': text + ' '.repeat(limits.bytes - text.length + 1)
    })
    expect((await load(fleet)).findings).toEqual(['large.yaml:1:1 FILE_TOO_LARGE'])
  })

  test.each<[what: string, bytes: Buffer, ...findings: string[]]>([
    ['a byte order mark', Buffer.from(`\ufeff${site('hq', 1)}`)],
    ['a replacement character', Buffer.from(`${site('hq', 1)}# \ufffd\n`)],
    ['Latin-1', Buffer.from('a: 1\nb: \xfc\n', 'latin1'), 'hq.yaml:2:4 FILE_NOT_UTF8'],
    ['both', Buffer.from([0x22, 0xef, 0xbf, 0xbd, 0xff, 0x22]), 'hq.yaml:1:3 FILE_NOT_UTF8'],
    [
      'both behind a mark',
      Buffer.from([0xef, 0xbb, 0xbf, 0xef, 0xbf, 0xbd, 0xff]),
      'hq.yaml:1:2 FILE_NOT_UTF8'
    ],
    ['UTF-16', Buffer.from('\ufeffa: 1\n', 'utf16le'), 'hq.yaml:1:1 FILE_NOT_UTF8']
  ])('must be UTF-8: %s', async (_what, bytes, ...findings) => {
    expect((await load(fleetOf({ 'hq.yaml': bytes }))).findings).toEqual(findings)
  })

  it.skipIf(process.getuid?.() === 0)(
    'are reported one by one if they are unreadable',
    async () => {
      const fleet = fleetOf({ 'a.yaml': site('a', 1), 'b/b.yaml': site('b', 2) })
      chmodSync(join(fleet, 'a.yaml'), 0)
      chmodSync(join(fleet, 'b'), 0)
      expect((await load(fleet)).findings).toEqual([
        'a.yaml:1:1 FILE_UNREADABLE',
        'b:1:1 FILE_UNREADABLE'
      ])
      chmodSync(join(fleet, 'b'), 0o700)
    }
  )
})

describe('an invalid fleet', () => {
  test.each(['nowhere', 'hq.yaml', 'nowhere\0'])('%j fails with exit code 3', async directory => {
    const cwd = fleetOf({ 'hq.yaml': site('hq', 1) })
    await expect(load(cwd, directory)).rejects.toThrow(Failure)
    await expect(load(cwd, directory)).rejects.toThrow(expect.objectContaining({ exitCode: 3 }))
  })

  it('is a directory without files, too', async () => {
    const cwd = temporaryDirectory()
    mkdirSync(join(cwd, 'sites'))
    writeFileSync(join(cwd, 'sites/hq.yml.txt'), '')
    expect((await load(cwd)).findings).toEqual(['- EMPTY_FLEET'])
  })
})
