import { describe, expect, it, onTestFinished } from 'vitest'
import type { SessionCookie } from '../../src/service/http/connection.ts'
import { json, serve } from '../support/server.ts'
import { stage } from '../support/stage.ts'

const session: SessionCookie = {
  cookie: 'sessionid=open-sesame-of-ali',
  csrfToken: 'forty-thieves'
}
const COOKIE = `${session.cookie}; csrftoken-eu=${session.csrfToken}; lang=de`

/** An environment without a token. */
const noToken = { WLANCTL_API_TOKEN: undefined }

/** A service with a browser session, and a file that contains it. */
async function loggedIn(text = `${COOKIE}\n`) {
  const made = await stage({ session })
  made.write('cookie', text, 0o600)
  return made
}

describe('a browser session', () => {
  it('creates the first token, which is valid at once', async () => {
    const { run, read, simulator } = await loggedIn()
    const words = 'token create --name first --session-cookie-file cookie --out token'
    const { code, stdout, stderr } = await run(words, noToken)
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    expect(stderr).toContain('The key is in token')
    const [request] = simulator.requests
    expect(request).toMatchObject({
      method: 'POST',
      headers: { cookie: COOKIE, 'x-csrftoken': session.csrfToken },
      body: { name: 'first' }
    })
    expect(request?.headers).not.toHaveProperty('authorization')
    const change = { WLANCTL_API_TOKEN: read('token').trim() }
    expect(await run('plan fleet', change)).toMatchObject({ code: 0 })
  })

  it('lists the tokens, too', async () => {
    const { run } = await loggedIn(`Cookie: ${COOKIE}`)
    const { code, stdout } = await run('token list --session-cookie-file cookie', noToken)
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('simulator') })
  })

  it.each([
    ['has ended', `sessionid=another-one; csrftoken=${session.csrfToken}`, '401', 'log in again'],
    ['has another CSRF token', `${session.cookie}; csrftoken=not-that-one`, '403', 'csrftoken']
  ])('%s: rejected without printing it, with a hint', async (_, cookie, status, hint) => {
    const { run } = await loggedIn(cookie)
    const ended = await run('token create --session-cookie-file cookie', noToken)
    expect(ended).toMatchObject({ code: 1, stdout: '' })
    expect(ended.stderr).toContain(`: ${status}: `)
    expect(ended.stderr).toContain(hint)
    expect(ended.stderr).not.toMatch(/another-one|not-that-one|sesame|thieves|WLANCTL_API_TOKEN/)
  })

  it.each([
    ['empty', '', 'is empty'],
    ['without CSRF token', session.cookie, 'csrftoken'],
    ['with an empty one', `${session.cookie}; csrftoken=`, 'csrftoken'],
    ['with two of them', `${COOKIE}; csrftoken-us=ali-baba`, 'several'],
    ['two lines', `${COOKIE}\n${COOKIE}`, 'line break'],
    ['not ASCII', `${COOKIE}ü`, 'not ASCII']
  ])('%s: rejected before the first request, without printing it', async (_, text, message) => {
    const { run, methods } = await loggedIn(text)
    const ended = await run('token create --session-cookie-file cookie', noToken)
    expect(ended).toMatchObject({ code: 3, stdout: '', stderr: expect.stringContaining(message) })
    expect(ended.stderr).not.toMatch(/sesame|thieves|ali-baba/)
    expect(methods()).toEqual([])
  })

  it('is redacted if the service repeats it', async () => {
    const detail = `bad: ${COOKIE} / sessionid=open-sesame-of-ali / forty-thieves`
    const server = await serve(json({ detail }, {}, 400))
    onTestFinished(() => server.close())
    const { run } = await loggedIn()
    const words = `token create --session-cookie-file cookie --base-url ${server.url}`
    const { code, stderr } = await run(words, noToken)
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('bad: (secret)') })
    expect(stderr).not.toMatch(/sesame|thieves/)
  })

  it('cannot be combined with a token', async () => {
    const { run, write, methods } = await loggedIn()
    write('token', 'some-token', 0o600)
    const words = 'token list --session-cookie-file cookie'
    for (const change of [{}, { ...noToken, WLANCTL_TOKEN_FILE: 'token' }]) {
      const ended = await run(words, change)
      expect(ended).toMatchObject({
        code: 3,
        stderr: expect.stringContaining('expected one source of credentials')
      })
    }
    expect(methods()).toEqual([])
  })

  it('is accepted only by the token commands', async () => {
    const { run } = await loggedIn()
    const { code, stderr } = await run('plan fleet --session-cookie-file cookie', noToken)
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('unknown option') })
  })
})
