import { describe, expect, test } from 'vitest'
import { Failure } from '../../../src/core/model/failure.ts'
import { openReader } from '../../../src/service/client.ts'
import { checkBaseUrl, checkTokens } from '../../../src/service/http/connection.ts'
import { tablesIn } from '../../support/tables.ts'
import { connectionTo, TOKEN } from '../support.ts'

const rejected = tablesIn<Record<'urls' | 'tokens', string[]>>(import.meta.dirname, 'rejected.txt')

function failureOf(work: () => unknown): Failure {
  try {
    work()
  } catch (thrown) {
    if (thrown instanceof Failure) return thrown
    throw thrown
  }
  throw new Error('nothing was thrown')
}

describe('a base URL', () => {
  test.each([
    ['https://api.example.com', 'https://api.example.com'],
    ['https://api.example.com/', 'https://api.example.com'],
    ['HTTPS://API.Example.com:8443/', 'https://api.example.com:8443'],
    ['https://api.example.com:443', 'https://api.example.com'],
    ['https://gateway.example.com/wifi/v2/', 'https://gateway.example.com/wifi/v2'],
    ['https://[2001:db8::1]:8443', 'https://[2001:db8::1]:8443'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['http://127.9.8.7', 'http://127.9.8.7'],
    ['http://localhost:8080/prefix', 'http://localhost:8080/prefix'],
    ['http://LOCALHOST', 'http://localhost'],
    ['http://[::1]:8080', 'http://[::1]:8080'],
    ['https://api.example.com/v1.2/a_b~c-d', 'https://api.example.com/v1.2/a_b~c-d']
  ])('%s is parsed as %s', (text, taken) => {
    expect(checkBaseUrl(text)).toBe(taken)
    expect(checkBaseUrl(taken)).toBe(taken)
  })

  test.each(rejected.urls)('rejects %j', text => {
    const failure = failureOf(() => checkBaseUrl(text))
    expect(failure.exitCode).toBe(3)
    expect(failure.message).not.toContain('hunter2')
  })

  test('is validated again when a client is created', () => {
    expect(failureOf(() => openReader(connectionTo('http://10.0.0.1'))).exitCode).toBe(3)
  })
})

describe('tokens', () => {
  test.each([
    ['abc', ['abc']],
    ['abc\n', ['abc']],
    ['abc\r\n', ['abc']],
    ['abc,def', ['abc', 'def']],
    ['abc,def,abc\n', ['abc', 'def']]
  ])('%j are accepted, without duplicates', (text, taken) => {
    expect(checkTokens(text)).toEqual(taken)
  })

  test.each(rejected.tokens)('%j is rejected without printing it', text => {
    const failure = failureOf(() => checkTokens(text))
    expect(failure.exitCode).toBe(3)
    expect(failure.message + failure.hint).not.toMatch(/hunter|hünter/)
  })

  test('an invalid token is identified by its position', () => {
    expect(failureOf(() => checkTokens('abc,,def')).message).toBe('API token 2 of 3 is empty')
  })
})

test('disabled certificate checks are rejected', () => {
  const env = { NODE_TLS_REJECT_UNAUTHORIZED: '0' }
  const failure = failureOf(() => openReader(connectionTo('https://api.example.com', { env })))
  expect(failure.exitCode).toBe(3)
  expect(failure.message).not.toContain(TOKEN)
})
