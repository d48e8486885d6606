import { type Command, Option } from 'commander'
import { openTokens } from '../api/client.ts'
import type { TokenSummary } from '../api/tokens.ts'
import { type ExitCode, exit } from '../model/failure.ts'
import { escapeText } from '../report/escape.ts'
import { connectionOf } from './connection.ts'
import { checkTarget, writeWhole } from './files.ts'
import { type Io, say, write } from './io.ts'
import { addExample, addServiceOptions, type ServiceOptions } from './options.ts'
import type { Context } from './program.ts'

interface CreateOptions extends ServiceOptions {
  readonly name?: string
  readonly out?: string
}

interface ListOptions extends ServiceOptions {
  readonly format: 'text' | 'json'
}

export function define(command: Command, { io, ends }: Context): void {
  const creating = command
    .command('create')
    .description('create an API token; its key is shown this once')
    .option('--name <name>', 'what the service lists it as')
    .option('--out <file>', 'write the key to a file (mode 600) instead of showing it')
    .action(ends((options: CreateOptions) => create(options, io)))
  addServiceOptions(creating)
  addExample(creating, 'wlanctl token create --out token')
  const listing = command
    .command('list')
    .description('list the API tokens of this account')
    .addOption(
      new Option('--format <format>', 'how it is written').choices(['text', 'json']).default('text')
    )
    .action(ends((options: ListOptions) => list(options, io)))
  addServiceOptions(listing)
  addExample(listing, 'wlanctl token list')
}

async function create(options: CreateOptions, io: Io): Promise<ExitCode> {
  // A key that could not be kept would be lost: the service shows it this once.
  if (options.out !== undefined) await checkTarget(options.out, io.cwd)
  const tokens = openTokens(await connectionOf(options, io, io.interrupted))
  try {
    const { key } = await tokens.create(options.name)
    // The one place where a key is meant to be seen, by the one who asked for it.
    const line = `${key.reveal()}\n`
    if (options.out === undefined) await write(io, line)
    else {
      await writeWhole(options.out, line, io.cwd)
      await say(io, `The key is in ${options.out}; the service will not show it again.`)
    }
    return exit.done
  } finally {
    await tokens.close()
  }
}

async function list(options: ListOptions, io: Io): Promise<ExitCode> {
  const tokens = openTokens(await connectionOf(options, io, io.interrupted))
  try {
    const found = await tokens.list()
    const text = options.format === 'json' ? `${JSON.stringify(found, null, 2)}\n` : table(found)
    await write(io, text)
    return exit.done
  } finally {
    await tokens.close()
  }
}

function table(tokens: readonly TokenSummary[]): string {
  if (tokens.length === 0) return 'No API tokens\n'
  const rows = tokens.map(({ key = '', name = '', createdTime, lastUsed }) =>
    [key, name, `created ${day(createdTime)}`, `last used ${day(lastUsed)}`].map(escapeText)
  )
  const widths = [0, 1, 2, 3].map(column => Math.max(...rows.map(row => row[column]?.length ?? 0)))
  return rows
    .map(
      row =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`
    )
    .join('')
}

/** The service tells times in seconds since 1970, or in its own words. */
function day(time: number | string | undefined): string {
  if (time === undefined) return 'never'
  if (typeof time === 'string') return time
  const date = new Date(time * 1000)
  return Number.isNaN(date.getTime()) ? 'unknown' : date.toISOString().slice(0, 10)
}
