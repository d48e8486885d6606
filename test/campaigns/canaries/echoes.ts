import type { Script } from '../../support/server.ts'
import { planted } from './secrets.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

/** All secrets of the run in an error message. */
const all = planted.map(({ value }) => value)

function html(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function quoted(text: string): string {
  return html(text).replaceAll('"', '&quot;').replaceAll("'", '&#x27;')
}

function ascii(text: string): string {
  return text.replace(
    /[^\0-\x7f]/g,
    unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  )
}

/** Texts that repeat the request, or the records of the service. */
const repeats: Readonly<Record<string, (body: string, headers: string) => string>> = {
  'the request as JSON': (body, headers) => JSON.stringify({ detail: { body, headers } }),
  'the body as its own JSON': body => `{"detail": ${body === '' ? '[]' : body}}`,
  'the request as text': (body, headers) => `bad request: ${headers} ${body}`,
  'the request in ASCII': (body, headers) => ascii(JSON.stringify({ detail: headers + body })),
  'its title': (body, headers) => `<title>${(quoted(body) + headers).slice(0, 480)}</title>`,
  'each secret in a title': () => `<title>${all.map(html).join(' ').slice(0, 480)}</title>`,
  'all secrets': () => JSON.stringify({ detail: all.slice(0, 20) }),
  'all secrets as fields': () => JSON.stringify(Object.fromEntries(all.map(value => [value, 'x']))),
  'all secrets as JSON in text': () => `not valid: ${JSON.stringify(all)}`,
  'all secrets as HTML': () => `not valid: ${all.map(quoted).join(', ')}`,
  'all secrets as a query': () => `not valid: ?${all.map(encodeURIComponent).join('&')}`,
  'all secrets on a line': () => all.join('').replaceAll('\n', ' '),
  'all secrets in capitals': () => all.join(', ').toUpperCase()
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
