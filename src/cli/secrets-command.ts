import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { Failure, wrongInput } from '../core/model/failure.ts'
import { plural, quote } from '../core/values/text.ts'
import { isJsonObject } from '../core/values/value.ts'
import { type SecretOptions, type SecretSource, secretSource } from '../fleet/secrets/source.ts'
import { escapeInside } from '../report/escape.ts'
import { Redactor } from '../service/redaction/redactor.ts'
import { tokensOf } from './connect.ts'
import type { ReportOptions, ServiceOptions } from './options.ts'
import { type Answer, askProgram, withoutCredentials } from './terminal/child-process.ts'
import { type Io, writeLine } from './terminal/io.ts'
import { writeAboveStatus } from './terminal/status-line.ts'

type Options = SecretOptions & ServiceOptions & Pick<ReportOptions, 'quiet' | 'verbose'>

/** The timeout of the command in milliseconds. */
const TIMEOUT = 60_000

/** The maximum number of printed lines of its messages; further ones are counted. */
const MAX_LINES = 20

/** Shorter words of the output are not secrets, unless they are returned values. */
const MIN_WORD_LENGTH = 4

/** The separators between the words of an output that is not JSON. */
const WORD_ENDS = /[\s"'`=:,{}[\]]+/

/**
 * The secret source of a run: the environment, then the secrets command; the secrets directory. Warns of a
 * directory that does not exist. This is no error, because a job for pull requests may have no secrets.
 */
export function secretSourceOf(options: Options, io: Io): SecretSource {
  const { secretPrefix: prefix, secretsDir, secretsCommand: words } = options
  const directory = secretsDir && resolve(io.cwd, secretsDir)
  const problem = secretsDirProblem(options, io)
  if (problem !== undefined && !options.quiet) {
    writeAboveStatus(io, `wlanctl: warning: ${escapeInside(problem)}`)
  }
  const ask = words && ((names: readonly string[]) => askCommand(words, names, options, io))
  return secretSource({ env: io.env, prefix, directory, ...(ask && { ask }) })
}

/** The problem of a secrets directory that cannot contain a secret; undefined without one. */
export function secretsDirProblem(
  { secretsDir }: Pick<SecretOptions, 'secretsDir'>,
  { cwd }: Pick<Io, 'cwd'>
): string | undefined {
  if (secretsDir === undefined) return undefined
  const name = `the secrets directory ${quote(secretsDir)}`
  try {
    const found = statSync(resolve(cwd, secretsDir), { throwIfNoEntry: false })
    if (found?.isDirectory()) return undefined
    return `${name} ${found === undefined ? 'does not exist' : 'is not a directory'}`
  } catch {
    return `${name} cannot be read`
  }
}

/**
 * Calls the secrets command once for the values of these variables: `{"names": […]}` on its stdin, `{"NAME":
 * "value"}` on its stdout. A name without a value, or with `null`, is missing in the result.
 *
 * It gets the environment of the run without `WLANCTL_…`, the API token and the secrets. Throws a `Failure` (exit 3) if it
 * fails, takes longer than `timeout` milliseconds, or returns anything else.
 *
 * Its messages may contain any of the secrets, so they are shown, redacted, only if the answer has all values,
 * or with `--verbose` on a terminal; otherwise they are counted.
 */
export async function askCommand(
  words: readonly [string, ...string[]],
  names: readonly string[],
  options: Options,
  io: Io,
  timeout = TIMEOUT
): Promise<ReadonlyMap<string, string>> {
  const tokens = await tokensOf(options, io).catch(() => [])
  const { secretPrefix, tokenFile } = options
  // It may log in to a vault, but gets no variable of wlanctl.
  const variables = withoutCredentials(io.env, { secretPrefix, tokens, tokenFile })
  const allowed = Object.entries(variables).filter(([name]) => !/^WLANCTL_/i.test(name))
  const env = Object.fromEntries(allowed)
  const asking = { name: 'the secrets command', timeout, env }
  const answer = await askProgram(words, { names }, asking, io)
  const values = valuesIn(answer, names)
  if (values instanceof Failure || !options.quiet) {
    const lines = linesIn(answer.stderr)
    const isComplete = !(values instanceof Failure) && names.every(name => values.has(name))
    if (isComplete || (options.verbose && io.stderr.isTTY)) {
      const own = Object.entries(io.env).filter(([name]) => name.startsWith(secretPrefix))
      const credentials = [...tokens, ...own.map(([, value = '']) => value)]
      await showMessages(lines, redactorOf(answer, names, credentials), io)
    } else await countMessages(lines, io)
  }
  if (values instanceof Failure) throw values
  return values
}

/** The values of these names in the answer of a command; other members are ignored. */
function valuesIn(
  { problem, json }: Answer,
  names: readonly string[]
): Map<string, string> | Failure {
  if (problem !== undefined) return wrongInput(problem)
  if (!isJsonObject(json)) {
    const hint = 'expected {"NAME": "value"} on stdout, and messages on stderr'
    return wrongInput('the secrets command wrote no JSON object', hint)
  }
  const values = new Map<string, string>()
  for (const name of names) {
    const value = Object.hasOwn(json, name) ? json[name] : null
    if (value === null) continue
    if (typeof value !== 'string') {
      const kind = Array.isArray(value) ? 'list' : typeof value
      return wrongInput(`the secrets command: expected a string for ${quote(name)}, got a ${kind}`)
    }
    values.set(name, value)
  }
  return values
}

/** Redacts the credentials, the returned values, and all strings, numbers, lines and words of other output. */
function redactorOf(
  { json, stdout }: Answer,
  names: readonly string[],
  credentials: readonly string[]
): Redactor {
  const redactor = new Redactor()
  const answer = isJsonObject(json) ? json : undefined
  const values = names.flatMap(name => {
    const value = Object.entries(answer ?? {}).find(([other]) => other === name)?.[1]
    return typeof value === 'string' ? value : []
  })
  const text = stdout.toString()
  const others = answer === undefined ? [text, ...text.split(WORD_ENDS)] : [...scalarsIn(answer)]
  for (const secret of [...credentials, ...values]) redactor.addSecret(secret)
  for (const secret of [...credentials, ...values, ...others]) {
    for (const line of [secret, ...secret.split(/\r?\n/)]) {
      if (line.length >= MIN_WORD_LENGTH) redactor.addSecret(line)
    }
  }
  return redactor
}

/** The strings and numbers in JSON of any depth, without recursion. */
function* scalarsIn(json: object): Generator<string> {
  const left: unknown[] = [json]
  while (left.length > 0) {
    const value = left.pop()
    if (typeof value === 'object' && value !== null)
      for (const inner of Object.values(value)) left.push(inner)
    else if (typeof value === 'string' || typeof value === 'number') yield String(value)
  }
}

function linesIn(messages: Buffer): string[] {
  return messages
    .toString()
    .split(/\r?\n/)
    .filter(line => line.trim() !== '')
}

async function showMessages(lines: readonly string[], redactor: Redactor, io: Io): Promise<void> {
  for (const line of lines.slice(0, MAX_LINES)) {
    await writeLine(io, `secrets command: ${escapeInside(redactor.redact(line))}`)
  }
  const rest = lines.length - MAX_LINES
  if (rest > 0) await writeLine(io, `secrets command: … and ${plural(rest, 'more line')}`)
}

async function countMessages({ length }: readonly string[], io: Io): Promise<void> {
  if (length === 0) return
  const count = plural(length, 'line')
  await writeLine(
    io,
    `secrets command: ${count} on stderr not shown, since a secret may be among them; --verbose on a terminal shows them`
  )
}
