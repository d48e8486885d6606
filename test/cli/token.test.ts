import { lstatSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { stage } from '../support/stage.ts'

const KEY = /^[A-Za-z0-9]{96}\n$/

describe('token', () => {
  it.each([false, true])(
    'create shows the key once, on stdout (in an array: %s)',
    async tokenAsList => {
      const { run, simulator } = await stage({ switches: { tokenAsList } })
      const { code, stdout, stderr } = await run('token create --name ci')
      expect({ code, stdout, stderr }).toEqual({
        code: 0,
        stdout: expect.stringMatching(KEY),
        stderr: ''
      })
      expect(simulator.requests).toMatchObject([
        { method: 'POST', path: '/api/v1/self/apitokens', body: { name: 'ci' } }
      ])
      expect(await run('plan fleet', { WLANCTL_API_TOKEN: stdout.trim() })).toMatchObject({
        code: 0
      })
    }
  )

  it('create --out writes it to a file of its owner, and shows it nowhere', async () => {
    const { run, cwd, read } = await stage()
    const { code, stdout, stderr } = await run('token create --out token')
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    expect(read('token')).toMatch(KEY)
    expect(stderr).not.toContain(read('token').trim())
    expect(lstatSync(join(cwd, 'token')).mode & 0o777).toBe(0o600)
    const change = { WLANCTL_API_TOKEN: undefined, WLANCTL_TOKEN_FILE: 'token' }
    expect(await run('plan fleet', change)).toMatchObject({ code: 0 })
  })

  it.each([
    ['link', 3],
    ['fleet', 3],
    ['nowhere/token', 1]
  ])('create --out %s: no token is made that could not be kept', async (target, exitCode) => {
    const { run, cwd, methods } = await stage()
    symlinkSync('elsewhere', join(cwd, 'link'))
    const { code, stdout, stderr } = await run(`token create --out ${target}`)
    expect({ code, stdout, stderr }).toEqual({
      code: exitCode,
      stdout: '',
      stderr: expect.stringContaining(target)
    })
    expect(methods()).toEqual([])
  })

  it('list shows what the service does, shortened', async () => {
    const { run } = await stage()
    const key = (await run('token create --name ci')).stdout.trim()
    const { code, stdout } = await run('token list')
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('  ci  ') })
    expect(stdout).not.toContain(key)
    const listed = JSON.parse((await run('token list --format json')).stdout)
    expect(listed).toMatchObject([{ name: 'simulator' }, { name: 'ci' }])
  })
})
