import { lstatSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { shell } from '../support/program.ts'
import { json, type Script, serve } from '../support/server.ts'
import { stage } from '../support/stage.ts'

const KEY = /^[A-Za-z0-9]{96}\n$/

/** A scripted service. */
async function service(script: Script) {
  const server = await serve(script)
  onTestFinished(() => server.close())
  return server
}

describe('token create', () => {
  it.each([false, true])('prints the key once, on stdout (in an array: %s)', async tokenAsList => {
    const { run, simulator } = await stage({ switches: { tokenAsList } })
    const { stdout, ...ended } = await run('token create --name ci')
    expect(ended).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(KEY)
    expect(simulator.requests).toMatchObject([
      { method: 'POST', path: '/api/v1/self/apitokens', body: { name: 'ci' } }
    ])
    expect(await run('plan fleet', { WLANCTL_API_TOKEN: stdout.trim() })).toMatchObject({
      code: 0
    })
  })

  it('warns on a terminal that the key is printed only once', async () => {
    const { startOnScreen } = await stage()
    const { stdout } = await startOnScreen('token create').ended
    expect(stdout).toMatch(/^[A-Za-z0-9]{96}\n.*not show it again/)
  })

  it('completes the request on an interrupt, and prints the key once', async () => {
    const interrupt = new AbortController()
    const server = await service((arrival, response) => {
      interrupt.abort()
      json({ id: 'id-of-the-token', key: 'a-key-made-meanwhile' })(arrival, response)
    })
    const { run } = await stage()
    const interrupted = { interrupted: interrupt.signal }
    const ended = await run(`token create --base-url ${server.url}`, {}, interrupted)
    expect(ended).toMatchObject({ code: 0, stdout: 'a-key-made-meanwhile\n' })
    expect(server.arrivals).toHaveLength(1)
  })
})

describe('token create --out', () => {
  it('writes the key to a private file, and prints it nowhere', async () => {
    const { run, cwd, read } = await stage()
    const { code, stdout, stderr } = await run('token create --out token')
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    expect(read('token')).toMatch(KEY)
    expect(stderr).not.toContain(read('token').trim())
    expect(lstatSync(join(cwd, 'token')).mode & 0o777).toBe(0o600)
    expect(readdirSync(cwd).sort()).toEqual(['fleet', 'token'])
    const change = { WLANCTL_API_TOKEN: undefined, WLANCTL_TOKEN_FILE: 'token' }
    expect(await run('plan fleet', change)).toMatchObject({ code: 0 })
  })

  it('replaces no file, as it may contain a key', async () => {
    const { run, write, read, methods } = await stage()
    write('token', 'the only copy\n', 0o644)
    const refused = await run('token create --out token')
    expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining('name another file') })
    expect(read('token')).toBe('the only copy\n')
    expect(methods()).toEqual([])
  })

  it.each(['link', 'fleet', 'nowhere/token'])(
    '%s: no token is created that could not be stored',
    async target => {
      const { run, cwd, write, read, methods } = await stage()
      write('victim', 'as it was')
      symlinkSync('victim', join(cwd, 'link'))
      symlinkSync('elsewhere', join(cwd, 'dangling'))
      const before = readdirSync(cwd)
      expect(await run(`token create --out ${target}`)).toMatchObject({
        code: 3,
        stdout: '',
        stderr: expect.stringContaining(target)
      })
      expect(methods()).toEqual([])
      expect(readdirSync(cwd)).toEqual(before)
      expect(read('victim')).toBe('as it was')
    }
  )

  it('creates no token on a full disk', async () => {
    const { cwd, env, methods } = await stage()
    const { code, stderr } = await shell('ulimit -f 0; wlanctl token create --out token', {
      cwd,
      env
    })
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('EFBIG') })
    expect([methods(), readdirSync(cwd)]).toEqual([[], ['fleet']])
  })

  it('leaves no file if the service creates no token', async () => {
    const { run, cwd } = await stage()
    const change = { WLANCTL_API_TOKEN: 'revoked' }
    expect(await run('token create --out token', change)).toMatchObject({ code: 1, stdout: '' })
    expect(readdirSync(cwd)).toEqual(['fleet'])
  })
})

describe('a key that cannot be stored after its creation', () => {
  const record = { id: 'id-of-the-token', name: 'ci', key: 'a-key-that-nobody-may-see' }

  it('is reported if another file took its place', async () => {
    const { run, cwd } = await stage()
    const server = await service((arrival, response) => {
      mkdirSync(join(cwd, 'token'))
      json(record)(arrival, response)
    })
    const ended = await run(`token create --out token --base-url ${server.url}`)
    expect(ended).toMatchObject({ code: 1, stdout: '' })
    expect(ended.stderr).toContain('its key is lost: token is not a regular file')
    expect(ended.stderr).toContain('remove the token id-of-the-token in the service')
    expect(ended.stderr).not.toContain(record.key)
    expect(readdirSync(cwd).sort()).toEqual(['fleet', 'token'])
  })

  it('is reported if the pipe is closed', async () => {
    const { startBuilt } = await stage({ switches: { latency: 500 } })
    const running = startBuilt('token create')
    running.hangUp()
    const { code, stderr } = await running.ended
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('key is lost') })
  })
})

describe('a token whose creation is uncertain', () => {
  it.each<[string, Script, boolean]>([
    ['no response', (_, response) => void response.destroy(), true],
    ['an answer without a key', json({}), true],
    ['a refusal', json({ detail: 'no' }, {}, 403), false]
  ])('%s', async (_, script, isReported) => {
    const server = await service(script)
    const { run } = await stage()
    const { code, stdout, stderr } = await run(`token create --base-url ${server.url}`)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr.includes('A token may exist now whose key is lost')).toBe(isReported)
    expect(server.arrivals).toHaveLength(1)
  })
})

describe('token list', () => {
  it('prints the tokens of the service, with shortened keys', async () => {
    const { run } = await stage()
    const key = (await run('token create --name ci')).stdout.trim()
    const { code, stdout } = await run('token list')
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('  ci  ') })
    expect(stdout).not.toContain(key)
    const listed = JSON.parse((await run('token list --format json')).stdout)
    expect(listed).toMatchObject([{ name: 'simulator' }, { name: 'ci' }])
  })

  it('does not print "never" for a token without a creation time', async () => {
    const { url } = await service(json([{ name: 'ci' }, { name: 'old', created_time: 86_400 }]))
    const { run } = await stage()
    expect(await run('token list', { WLANCTL_BASE_URL: url })).toMatchObject({
      code: 0,
      stdout:
        '  ci   created unknown     last used never\n  old  created 1970-01-02  last used never\n'
    })
  })
})
