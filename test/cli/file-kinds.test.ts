import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, test } from 'vitest'
import { readRegularFile } from '../../src/fleet/secrets/regular-file.ts'
import { HQ } from '../simulator/simulate.ts'
import { folder } from '../support/program.ts'
import { stage } from '../support/stage.ts'

/** Creates a directory entry that is not a regular file. */
async function plant(cwd: string): Promise<void> {
  execFileSync('mkfifo', ['-m', '600', join(cwd, 'pipe')])
  symlinkSync('pipe', join(cwd, 'linked-pipe'))
  mkdirSync(join(cwd, 'directory'))
  const server = createServer()
  await new Promise<void>(resolve => server.listen(join(cwd, 'socket'), resolve))
  onTestFinished(() => void server.close())
}

const kinds = [
  ['pipe', 'a pipe'],
  ['linked-pipe', 'a pipe'],
  ['directory', 'a directory'],
  ['socket', 'a socket'],
  ['/dev/zero', 'a device'],
  ['/dev/tty', 'a device']
] as const

/** Every option and argument that names an input file. */
const readers: readonly (readonly [string, (file: string) => string])[] = [
  ['a saved plan to approve', file => `apply fleet --yes --plan ${file}`],
  ['a saved plan to show', file => `show ${file}`],
  ['a snapshot', file => `plan fleet --against ${file}`],
  ['parts to merge', file => `show ${file} fleet/hq.yaml`],
  ['a record', file => `revert ${file} --yes`],
  ['a list of sites', file => `import --from ${file}`],
  ['a seed', file => `simulate --seed ${file}`],
  ['a token file', file => `plan fleet --token-file ${file}`]
]

describe.each(readers)('%s', (_, line) => {
  it('is rejected without waiting if it is not a regular file', async () => {
    const { cwd, run, methods } = await stage()
    await plant(cwd)
    const runs = kinds.map(async ([file, kind]) => {
      const isFile = line(file).includes('-file ')
      const change = isFile ? { WLANCTL_API_TOKEN: undefined } : {}
      const ended = await run(line(file), change)
      expect(ended).toMatchObject({ code: 3, stdout: '' })
      // A directory may be a snapshot folder, unless it holds none.
      const isState = kind === 'a directory' && /^show |--(?:against|since) /.test(line(file))
      const problem = isState ? 'holds no snapshot' : `is ${kind}, not a regular file`
      expect(ended.stderr).toContain(problem)
    })
    await Promise.all(runs)
    expect(methods()).toEqual([])
  })
})

it('a secret file that is not regular is rejected without waiting', async () => {
  const { cwd, run, write } = await stage()
  mkdirSync(join(cwd, 'secrets'))
  await plant(join(cwd, 'secrets'))
  for (const name of ['pipe', 'linked-pipe', 'directory', 'socket']) {
    const psk = `{ $file: ${name} }`
    write(
      'fleet/hq.yaml',
      `site: { id: ${HQ} }\nwlans: { g: { ssid: G, auth: { psk: ${psk} } } }\n`
    )
    const ended = await run('plan fleet --secrets-dir secrets')
    expect(ended).toMatchObject({ code: 3, stderr: expect.stringContaining('[SECRET_REFERENCE]') })
  }
})

describe('reading a regular file', () => {
  const text = 'x'.repeat(1000)

  test.each([
    [1000, { bytes: Buffer.from(text) }],
    [999, { problem: 'size', size: 1000 }],
    [0, { problem: 'size', size: 1000 }]
  ])('of 1,000 bytes, at most %i', async (most, expected) => {
    const { write } = await stage()
    expect(readRegularFile(write('file', text), { most })).toMatchObject(expected)
  })

  test('counts the read bytes if a file does not report its size', () => {
    expect(readRegularFile('/proc/self/status', { most: 10 })).toMatchObject({ problem: 'size' })
    expect(readRegularFile('/proc/self/status', { most: 100_000 })).toHaveProperty('bytes')
  })

  test('follows links only with the option for it', async () => {
    const { cwd, write } = await stage()
    write('file', text)
    symlinkSync('file', join(cwd, 'link'))
    const path = join(cwd, 'link')
    expect(readRegularFile(path, { most: 2000 })).toHaveProperty('bytes')
    expect(readRegularFile(path, { most: 2000, links: false })).toMatchObject({ problem: 'system' })
    expect(readRegularFile(join(folder(), 'none'), { most: 1 })).toMatchObject({
      problem: 'system'
    })
  })
})
