import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { json } from '../support/server.ts'
import { apiError, clients, scripted } from './support.ts'

const KEY = 'abcdefghijklmnopqrstuvwxyz0123456789'

async function tokensAt(answer: unknown) {
  const server = await scripted(json(answer))
  return clients(server.url).tokens
}

describe('a created token', () => {
  const record = { key: KEY, id: 'i', name: 'ci', created_time: 1690115110, last_used: null }

  test.each([
    ['a record', record],
    ['a list of one', [record]]
  ])('is parsed from %s', async (_, answer) => {
    const created = await (await tokensAt(answer)).create('ci')
    expect(created).toEqual({
      id: 'i',
      name: 'ci',
      createdTime: 1690115110,
      key: expect.objectContaining({ known: true })
    })
    expect(created.key.reveal()).toBe(KEY)
    expect(JSON.stringify(created) + inspect(created)).not.toContain(KEY)
  })

  const answers: readonly unknown[] = [
    null,
    [],
    [record, record],
    {},
    { key: '' },
    { key: 7 },
    { key: 'a\nb' },
    { key: 'ä' },
    { key: '********' },
    'key'
  ]

  test.each(answers.map(answer => [answer]))('is not parsed from %j', async answer => {
    const error = await apiError((await tokensAt(answer)).create())
    expect(error.problem).toEqual({ kind: 'invalid-content' })
  })
})

describe('the list of tokens', () => {
  test('has the known members of each token', async () => {
    const tokens = await tokensAt([
      { id: 'i', name: 'ci', key: '1qkb...QQCL', created_time: 1, last_used: 2, more: {} },
      { created_time: '2026-11-20', name: 7 },
      {}
    ])
    expect(await tokens.list()).toEqual([
      { id: 'i', name: 'ci', key: '1qkb...QQCL', createdTime: 1, lastUsed: 2 },
      { createdTime: '2026-11-20' },
      {}
    ])
  })

  test.each([
    ['1qkb...QQCL', '1qkb...QQCL'],
    ['1qkb…QQCL', '1qkb…QQCL'],
    ['1qkb****', '1qkb****'],
    ['********', '********'],
    [KEY, 'abcd...6789'],
    [`${KEY}...`, 'abcd...9...'],
    ['short-key', '...']
  ])('never contains a whole key: %s', async (key, shown) => {
    expect(await (await tokensAt([{ key }])).list()).toEqual([{ key: shown }])
  })

  test.each([[null], [{}], ['x'], [[null]], [[7]], [['x']]])(
    'is not parsed from %j',
    async answer => {
      const error = await apiError((await tokensAt(answer)).list())
      expect(error.problem).toEqual({ kind: 'invalid-content' })
    }
  )
})
