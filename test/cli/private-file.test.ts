import { execFileSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { stage } from '../support/stage.ts'

async function onStage() {
  const made = await stage()
  const given = (file: string) =>
    made.run(`token list --token-file ${file}`, { WLANCTL_API_TOKEN: undefined })
  return { ...made, text: made.simulator.token, given }
}

describe('a file for --token-file', () => {
  it.each([
    ['without a line break', '', 0o600],
    ['with one', '\n', 0o600],
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
    ['of a group', 0o640, text => text, 'chmod 600 file'],
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

  it('is rejected without waiting if it is a pipe, a device or a directory', async () => {
    const { cwd, given } = await onStage()
    execFileSync('mkfifo', ['-m', '600', join(cwd, 'pipe')])
    for (const [file, kind] of [
      ['pipe', 'a pipe'],
      ['/dev/zero', 'a device'],
      ['fleet', 'a directory']
    ] as const) {
      const stderr = expect.stringContaining(`${file} is ${kind}, not a regular file`)
      expect(await given(file)).toMatchObject({ code: 3, stderr })
    }
  })
})
