import { execFileSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { GUEST, HQ } from '../simulator/simulate.ts'
import { PSK, type Stage, stage } from '../support/stage.ts'

/** Unsets the variable: only the file has the secret. */
const unset = { WLAN_SECRET_GUEST: undefined }

/** A stage with a secrets file. */
async function withFile(text: string, mode = 0o600): Promise<Stage> {
  const made = await stage()
  made.write('secrets.env', text, mode)
  return made
}

const FILE = '--secrets-file secrets.env'

describe('--secrets-file', () => {
  it('gives the secrets that the environment lacks to plan, apply and drift', async () => {
    const made = await withFile(`# guests\nWLAN_SECRET_GUEST='${PSK}'\n`)
    const plan = await made.run(`plan fleet --format json ${FILE}`, unset)
    expect(plan).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(plan.stdout)).toMatchObject({ summary: { changed: 2 } })
    expect(plan.stdout).not.toContain('SECRET_UNRESOLVED')
    const change = { ...unset, WLANCTL_SECRETS_FILE: 'secrets.env' }
    expect(await made.run('apply fleet --yes', change)).toMatchObject({ code: 0 })
    expect(made.simulator.record(HQ, GUEST)).toMatchObject({ auth: { psk: PSK } })
    expect(await made.run('drift fleet', change)).toMatchObject({ code: 0 })
  })

  it('does not override the environment, apart from an empty variable', async () => {
    const made = await withFile('WLAN_SECRET_GUEST=another-psk\n')
    const change = { WLAN_SECRET_GUEST: '' }
    expect(await made.run(`apply fleet --yes ${FILE}`)).toMatchObject({ code: 0 })
    expect(made.simulator.record(HQ, GUEST)).toMatchObject({ auth: { psk: PSK } })
    expect(await made.run(`apply fleet --yes ${FILE}`, change)).toMatchObject({ code: 0 })
    expect(made.simulator.record(HQ, GUEST)).toMatchObject({ auth: { psk: 'another-psk' } })
  })

  it.each([
    ['WLAN_SECRET_OTHER=x', 'the variable is not set, and not in the secrets file'],
    ["WLAN_SECRET_GUEST=''", 'the variable is not set, and empty in the secrets file']
  ])('with %s leaves a secret unresolved: apply refuses', async (text, reason) => {
    const made = await withFile(text)
    const plan = await made.run(`plan fleet ${FILE}`, unset)
    expect(plan).toMatchObject({ code: 0, stdout: expect.stringContaining(reason) })
    const { code, stderr } = await made.run(`apply fleet --yes ${FILE}`, unset)
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('missing secret') })
    expect(made.simulator.history).toEqual([])
  })

  it.each(['apply fleet --yes', 'drift fleet'])(
    'that is wrong ends %s with its line, and no value',
    async line => {
      const made = await withFile(`WLAN_SECRET_GUEST=${PSK}\nWLAN_SECRET_B='planted\n`)
      expect(await made.run(`${line} ${FILE}`, unset)).toMatchObject({
        code: 3,
        stdout: '',
        stderr: "wlanctl: secrets.env:2: the ' is not closed\n"
      })
      expect(made.methods()).toEqual([])
    }
  )

  it('may be a link, and is a regular file of at most 4 MiB', async () => {
    const made = await withFile(`WLAN_SECRET_GUEST=${PSK}`)
    symlinkSync('secrets.env', join(made.cwd, 'link'))
    expect(await made.run('plan fleet --secrets-file link', unset)).toMatchObject({ code: 0 })
    execFileSync('mkfifo', [join(made.cwd, 'pipe')])
    made.write('large', '#'.repeat(4 * 1024 * 1024 + 1))
    for (const [file, reason] of [
      ['nowhere', 'it does not exist'],
      ['fleet', 'it is a directory, not a regular file'],
      ['pipe', 'it is a pipe, not a regular file'],
      ['large', 'it is too large']
    ]) {
      const stderr = `wlanctl: the secrets file "${file}" cannot be read: ${reason}\n`
      expect(await made.run(`plan fleet --secrets-file ${file}`)).toMatchObject({ code: 3, stderr })
    }
  })

  it.each([0o640, 0o604])('with mode %o is a warning, and none with --quiet', async mode => {
    const made = await withFile(`WLAN_SECRET_GUEST=${PSK}`, mode)
    const warning = 'wlanctl: warning: others can read the secrets file "secrets.env"; run: chmod'
    const { code, stderr } = await made.run(`plan fleet ${FILE}`, unset)
    expect({ code, warnings: stderr.split(warning).length - 1 }).toEqual({ code: 0, warnings: 1 })
    const quiet = await made.run(`plan fleet --quiet ${FILE}`, unset)
    expect(quiet).toMatchObject({ code: 0, stderr: '' })
    const doctor = await made.run(`doctor fleet ${FILE}`, unset)
    expect(doctor.stdout).toMatch(/note +file modes +others on this machine can read secrets\.env/)
  })

  it('is checked by doctor', async () => {
    const made = await withFile(`WLAN_SECRET_GUEST=${PSK}`)
    const right = await made.run(`doctor fleet ${FILE}`, unset)
    expect(right).toMatchObject({ code: 0, stdout: expect.stringContaining('the one referred to') })
    expect(right.stdout).toContain('only you can read the secrets file')
    made.write('secrets.env', 'planted')
    const wrong = await made.run(`doctor fleet ${FILE}`, unset)
    expect(wrong).toMatchObject({ code: 1, stdout: expect.stringContaining('secrets.env:1: ') })
    expect(wrong.stdout + wrong.stderr).not.toContain('planted')
  })
})
