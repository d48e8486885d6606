import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
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

async function onStage() {
  const made = await stage()
  const given = (file: string) =>
    made.run(`token list --token-file ${file}`, { WLANCTL_API_TOKEN: undefined })
  return { ...made, text: made.simulator.token, given }
}

describe('a file for --token-file', () => {
  it.each([
    ['with a Windows line end', '\r\n', 0o600],
    ['that is read-only', '\n', 0o400]
  ])('%s is accepted', async (_, end, mode) => {
    const { given, write, text } = await onStage()
    write('file', text + end, mode)
    expect(await given('file')).toMatchObject({ code: 0 })
  })

  it('may be behind a link, and the target is checked', async () => {
    const { cwd, given, write, text } = await onStage()
    write('mounted/file', text, 0o600)
    symlinkSync('mounted/file', join(cwd, 'link'))
    expect(await given('link')).toMatchObject({ code: 0 })
    write('mounted/file', text, 0o604)
    expect(await given('link')).toMatchObject({ code: 3 })
  })

  it.each<[string, number | undefined, (text: string) => string, string]>([
    ['that is missing', undefined, text => text, 'cannot be read'],
    ['that everyone can read', 0o604, text => text, 'chmod 600 file'],
    ['that others may write', 0o602, text => text, 'chmod 600 file'],
    ['that is too large', 0o600, text => text + ' '.repeat(16_384), 'larger than 16 KiB'],
    ['that is empty', 0o600, () => '\n', 'is empty'],
    ['with two line breaks', 0o600, text => `${text}\n\n`, 'line break'],
    ['with a byte order mark', 0o600, text => `\ufeff${text}`, 'not ASCII'],
    ['with a NUL', 0o600, text => `${text}\0`, 'not ASCII']
  ])('%s is rejected without printing it', async (_, mode, change, message) => {
    const { given, write, text, methods } = await onStage()
    if (mode !== undefined) write('file', change(text), mode)
    const ended = await given('file')
    expect(ended).toMatchObject({ code: 3, stdout: '', stderr: expect.stringContaining(message) })
    expect(ended.stderr).not.toContain(text.slice(0, 12))
    expect(methods()).toEqual([])
  })
})
