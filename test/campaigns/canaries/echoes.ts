import type { Script } from '../../support/server.ts'
import { planted } from './secrets.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

/** All secrets of the run in an error message. */
const all = planted.map(({ value }) => value)

/** Texts that repeat the request, or the records of the service. */
const repeats: Readonly<Record<string, (body: string, headers: string) => string>> = {
  'the request as JSON': (body, headers) => JSON.stringify({ detail: { body, headers } }),
  'the body as its own JSON': body => `{"detail": ${body === '' ? '[]' : body}}`,
  'the request as text': (body, headers) => `bad request: ${headers} ${body}`,
  'the request behind the first KB': (body, headers) => `${'x\n'.repeat(500)}${headers}${body}`,
  'its headers in a title': (_, headers) => `<title>${headers}</title>`,
  'all secrets': () => JSON.stringify({ detail: all.slice(0, 20) }),
  'all secrets as fields': () => JSON.stringify(Object.fromEntries(all.map(value => [value, 'x']))),
  'all secrets as JSON in text': () => `not valid: ${JSON.stringify(all)}`,
  'all secrets as a query': () => `not valid: ?${all.map(encodeURIComponent).join('&')}`,
  'all secrets in base64': () =>
    `not valid: ${all.map(value => Buffer.from(value).toString('base64')).join(' ')}`,
  'all secrets without a gap': () => all.join('')
}

/** Error responses that repeat secrets, by form. */
export function echoes(status: number): [how: string, script: Script][] {
  return Object.entries(repeats).map(([how, repeat]) => [
    how,
    ({ body, headers }, response) => {
      const text = repeat(body, JSON.stringify(headers))
      const type = text.startsWith('<') ? { 'content-type': 'text/html' } : JSON_TYPE
      response.writeHead(status, type).end(text)
    }
  ])
}

/** Successful responses that repeat the request outside of the body. */
export const oddities: readonly [how: string, script: Script][] = [
  [
    'a redirect',
    ({ headers }, response) => {
      const host = `${headers.authorization?.slice(6)}.example`
      response.writeHead(302, { location: `https://${host}/${headers.authorization}` }).end()
    }
  ],
  [
    'a content type',
    ({ headers }, response) =>
      response.writeHead(200, { 'content-type': `text/${headers.authorization}` }).end()
  ],
  ['truncated JSON', ({ body }, response) => response.writeHead(200, JSON_TYPE).end(`{${body}`)],
  [
    'a status line',
    ({ headers }, response) =>
      response.writeHead(400, `no ${headers.authorization}`, JSON_TYPE).end('{}')
  ]
]
