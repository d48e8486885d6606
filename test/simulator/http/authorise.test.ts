import { describe, expect, it } from 'vitest'
import { simulate, TOKENS, WLANS } from '../simulate.ts'

const session = { cookie: 'sessionid=abc; csrftoken=def', csrfToken: 'def' }

const rows: readonly [
  what: string,
  method: string,
  path: string,
  headers: Record<string, string>,
  status: number
][] = [
  ['its token', 'GET', WLANS, { authorization: 'Token right' }, 200],
  ['nothing', 'GET', WLANS, {}, 401],
  ['another token', 'GET', WLANS, { authorization: 'Token wrong' }, 401],
  ['another word', 'GET', WLANS, { authorization: 'Bearer right' }, 401],
  ['the word in lower case', 'GET', WLANS, { authorization: 'token right' }, 401],
  ['no word', 'GET', WLANS, { authorization: 'right' }, 401],
  ['two tokens', 'GET', WLANS, { authorization: 'Token right right' }, 401],
  ['a session', 'POST', TOKENS, { cookie: session.cookie, 'x-csrftoken': 'def' }, 200],
  [
    'a session among other cookies',
    'POST',
    TOKENS,
    { cookie: 'a=1; csrftoken=def; sessionid=abc', 'x-csrftoken': 'def' },
    200
  ],
  ['a session without CSRF token', 'POST', TOKENS, { cookie: session.cookie }, 403],
  ['a session with another', 'POST', TOKENS, { cookie: session.cookie, 'x-csrftoken': 'x' }, 403],
  ['another session', 'POST', TOKENS, { cookie: 'sessionid=x', 'x-csrftoken': 'def' }, 401],
  ['a CSRF token alone', 'POST', TOKENS, { 'x-csrftoken': 'def' }, 401],
  ['a session', 'GET', WLANS, { cookie: session.cookie, 'x-csrftoken': 'def' }, 401]
]

describe('a call that shows', () => {
  it.each(rows)('%s (%s %s)', async (_, method, path, headers, status) => {
    const { send } = await simulate({ token: 'right', session })
    const answer = await send(method, path, undefined, headers)
    expect(answer.status).toBe(status)
    if (status !== 200) expect(answer.body).toEqual({ detail: expect.any(String) })
  })

  it('a session where there is none', async () => {
    const { send } = await simulate()
    const headers = { cookie: session.cookie, 'x-csrftoken': 'def' }
    expect(await send('POST', TOKENS, undefined, headers)).toMatchObject({ status: 401 })
  })
})
