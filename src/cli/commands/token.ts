import { Option } from 'commander'
import { type ExitCode, exit, Failure, reasonOf } from '../../core/model/failure.ts'
import { escapeInside, escapeText, jsonText } from '../../report/escape.ts'
import { formatTable } from '../../report/layout.ts'
import type { RenderOptions } from '../../report/report.ts'
import { openTokens } from '../../service/client.ts'
import { ApiError } from '../../service/http/error.ts'
import type { TokenRecord, TokenSummary } from '../../service/tokens.ts'
import type { CommandRow } from '../command.ts'
import { connectionOf } from '../connect.ts'
import { checkNew, type Reserved, reserve } from '../files/files.ts'
import { formatOption, groups, optionSets, type ServiceOptions, under } from '../options.ts'
import { writeTextOrJson } from '../output.ts'
import { type Io, writeLine, writeOnce } from '../terminal/io.ts'

interface CreateOptions extends ServiceOptions {
  readonly name?: string
  readonly out?: string
}

interface ListOptions extends ServiceOptions {
  readonly format: 'text' | 'json'
}

/** The bytes to reserve for a key of about 100 characters. */
const KEY_BYTES = 4096

export const command: CommandRow = {
  subcommands: {
    create: {
      description: 'create an API token; its key is shown only once',
      options: [
        under(
          groups.output,
          new Option('--name <name>', 'the name of the token in the service'),
          new Option('--out <file>', 'write the key to a file (mode 600) instead of printing it')
        ),
        optionSets.service
      ],
      examples: ['wlanctl token create --out token'],
      run: ({ io }, options: CreateOptions) => create(options, io)
    },
    list: {
      description: 'list the API tokens of this account',
      options: [under(groups.output, formatOption()), optionSets.service],
      examples: ['wlanctl token list'],
      run: ({ io }, options: ListOptions) => list(options, io)
    }
  }
}

/** Creates a token only if its key can be saved, because the service returns the key only once. */
async function create(options: CreateOptions, io: Io): Promise<ExitCode> {
  const reserved = await reservedFor(options, io)
  try {
    await keep(await make(options, io), reserved, io)
  } finally {
    await reserved?.release()
  }
  if (options.out !== undefined) {
    const file = escapeInside(options.out)
    await writeLine(io, `The key is in ${file} (mode 600); the service will not show it again.`)
  } else if (io.stdout.isTTY) await writeLine(io, 'Keep it: the service will not show it again.')
  return exit.done
}

async function reservedFor({ out }: CreateOptions, { cwd }: Io): Promise<Reserved | undefined> {
  if (out === undefined) return undefined
  await checkNew([out], cwd)
  return reserve(out, cwd, KEY_BYTES)
}

/** Creates the token. Only `abortSignal` aborts the request, because the key is lost without its response. */
async function make(options: CreateOptions, io: Io): Promise<TokenRecord> {
  const tokens = openTokens(await connectionOf(options, io, io.abortSignal))
  try {
    return await tokens.create(options.name)
  } catch (error) {
    if (mayBeMade(error)) {
      await writeLine(io, 'A token may exist now whose key is lost: see `wlanctl token list`.')
    }
    throw error
  } finally {
    await tokens.close()
  }
}

function mayBeMade(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false
  const { problem } = error
  if (problem.kind === 'status') return problem.status >= 500
  return problem.kind !== 'redirect' && !('sent' in problem && problem.sent === 'no')
}

/** If that fails, the key is not printed: stdout may be a log, and a token is easily replaced. */
async function keep(
  { key, id, name }: TokenRecord,
  reserved: Reserved | undefined,
  io: Io
): Promise<void> {
  // The only place that prints a key, at the request of the user.
  const line = `${key.reveal()}\n`
  await (reserved === undefined ? writeOnce(io, line) : reserved.fill(line)).catch(error => {
    throw new Failure(
      exit.failed,
      `a token was created, but its key is lost: ${reasonOf(error)}`,
      `remove the token ${id ?? name ?? 'without a name'} in the service, and create another`
    )
  })
}

async function list(options: ListOptions, io: Io): Promise<ExitCode> {
  const tokens = openTokens(await connectionOf(options, io, io.interrupted))
  try {
    await writeTextOrJson(await tokens.list(), json, table, { ...options, color: false }, io)
    return exit.done
  } finally {
    await tokens.close()
  }
}

function json(tokens: readonly TokenSummary[]): string {
  return jsonText(
    tokens.map(({ createdTime, lastUsed, ...token }) => ({
      ...token,
      created_time: createdTime,
      last_used: lastUsed
    }))
  )
}

function table(tokens: readonly TokenSummary[], { width }: RenderOptions): string {
  if (tokens.length === 0) return 'No API tokens\n'
  const rows = tokens.map(({ key = '', name = '', createdTime, lastUsed }) =>
    [
      key,
      name,
      `created ${day(createdTime) ?? 'unknown'}`,
      `last used ${day(lastUsed) ?? 'never'}`
    ].map(escapeText)
  )
  return formatTable(rows, width, '')
    .map(line => `${line}\n`)
    .join('')
}

/** Formats a time from the service: seconds since 1970, or a string. */
function day(time: number | string | undefined): string | undefined {
  if (time === undefined) return undefined
  if (typeof time === 'string') return time
  const date = new Date(time * 1000)
  return Number.isNaN(date.getTime()) ? 'unknown' : date.toISOString().slice(0, 10)
}
