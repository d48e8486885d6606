import { isUtf8 } from 'node:buffer'
import { Secret } from '../../core/values/secret.ts'
import { withoutByteOrderMark } from '../../core/values/text.ts'
import { envNameProblem } from './variable-names.ts'

interface Problem {
  readonly line: number
  readonly problem: string
}

/**
 * The secrets in the content of a file with lines `NAME=value`, by name. Blank lines and those that start with `#` are
 * skipped.
 *
 * | value    | read as                                                                                      |
 * |----------|----------------------------------------------------------------------------------------------|
 * | `a "#b`  | it stands                                                                                    |
 * | `'a "b'` | all up to the next `'`                                                                       |
 * | `"a\"b"` | all up to the next `"` without a backslash; `\` escapes `"`, `\`, `$`, a backtick, a line break |
 *
 * As in a POSIX shell, a value in quotes may have line breaks. A shell would expand `$name` in double quotes, so it is wrong.
 */
export function parseSecretsFile(
  bytes: Buffer,
  prefix: string
): ReadonlyMap<string, Secret> | Problem {
  if (!isUtf8(bytes)) return { line: 1, problem: 'the file is not valid UTF-8' }
  const text = withoutByteOrderMark(bytes.toString('utf8'))
  const secrets = new Map<string, Secret>()
  let line = 1
  for (let at = 0; at < text.length; ) {
    const content = text.slice(at, endOfLine(text, at)).replace(/\r$/, '')
    let end = endOfLine(text, at)
    if (!/^[ \t]*(?:#|$)/.test(content)) {
      const [name = ''] = content.split('=', 1)
      const nameProblem = name === content ? 'expected NAME=value' : envNameProblem(name, prefix)
      if (nameProblem !== undefined) return { line, problem: nameProblem }
      if (secrets.has(name)) return { line, problem: `duplicate name ${name}` }
      const from = at + name.length + 1
      const quoted = readQuoted(text, from)
      if (typeof quoted === 'string') return { line, problem: quoted }
      if (quoted !== undefined) end = quoted.end
      const value = quoted === undefined ? content.slice(name.length + 1) : quoted.value
      secrets.set(name, new Secret({ $env: name }, value === '' ? undefined : value))
    }
    line += text.slice(at, end).split('\n').length
    at = end + 1
  }
  return secrets
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end === -1 ? text.length : end
}

/** A value in quotes and the end of its last line, or what is wrong with it; undefined for one without quotes. */
function readQuoted(text: string, from: number) {
  const quote = text[from]
  if (quote !== "'" && quote !== '"') return undefined
  let close = from + 1
  while (close < text.length && text[close] !== quote) {
    close += quote === '"' && text[close] === '\\' ? 2 : 1
  }
  if (close >= text.length) return `the ${quote} is not closed`
  const end = endOfLine(text, close)
  if (text.slice(close + 1, end).trim() !== '') return `expected nothing after the closing ${quote}`
  const raw = text.slice(from + 1, close)
  if (quote === "'") return { value: raw, end }
  if (/`|\$[\w{(@*#?$!-]/.test(raw.replace(/\\[\s\S]/g, ' '))) {
    return 'expected a backslash before `$` and backticks within double quotes'
  }
  return { value: raw.replace(/\\(?:([$`"\\])|\r?\n)/g, '$1'), end }
}
