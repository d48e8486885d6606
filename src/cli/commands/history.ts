import { type Command, Option } from 'commander'
import { contestedFields } from '../../core/history/contested.ts'
import { type EstateEvent, eventsOf, withRuns } from '../../core/history/events.ts'
import { type ExitCode, exit, wrongInput } from '../../core/model/failure.ts'
import { compact } from '../../core/values/collections.ts'
import { plural } from '../../core/values/text.ts'
import { historyFormats } from '../../report/estate-history.ts'
import { formatField } from '../../report/fields/format-value.ts'
import type { Context } from '../context.ts'
import { addEstateOptions, type EstateOptions, matchesAny, writeResult } from '../estate-results.ts'
import { readRecords, recordsIn } from '../files/saved-files.ts'
import { readHistory } from '../files/states.ts'
import { parseCommand, parseInstant, repeatable } from '../option-values.ts'
import { addExample, addGroup, groups } from '../options.ts'
import { askProgram, withoutCredentials } from '../terminal/child-process.ts'
import type { Io } from '../terminal/io.ts'
import { sameSelection } from '../terminal/next-steps.ts'

interface Options extends EstateOptions {
  readonly field: readonly string[]
  readonly since?: Date
  readonly records?: string
  readonly whoCommand?: readonly [string, ...string[]]
}

export function define(command: Command, { io, ends }: Context): void {
  command.argument(
    '<state>',
    'a snapshot folder in a Git checkout, or a folder at a revision, such as wlanctl-live:'
  )
  addGroup(
    addEstateOptions(command),
    groups.selection,
    repeatable('--field <glob>', 'only matching fields, such as auth.*; repeatable'),
    new Option('--since <time>', 'only changes since then, such as 2026-11-20T00:00Z').argParser(
      parseInstant
    )
  )
  addGroup(
    command,
    groups.output,
    new Option('--records <dir>', 'the records of `apply --record`, which mark its own changes'),
    new Option(
      '--who-command <cmd>',
      'a command that names who made a change: ids and times as JSON on stdin, names on stdout'
    ).argParser(parseCommand)
  ).action(ends((state: string, options: Options) => history(state, options, io)))
  addExample(command, 'wlanctl history wlanctl-live: --since 2026-11-20T00:00Z')
}

async function history(state: string, options: Options, io: Io): Promise<ExitCode> {
  const { records } = options
  const runs = records === undefined ? [] : await readRecords(await recordsIn(records, io), io)
  const found: EstateEvent[] = []
  const facts = await readHistory(
    state,
    (step, previous) => found.push(...withRuns(eventsOf(step), previous, runs)),
    io
  )
  const isShown = isSelected(options)
  // Earlier changes decide whether a field is contested.
  const contested = contestedFields(found).filter(({ events }) => events.some(isShown))
  const events = await withNames(found.filter(isShown), options, io)
  const diff = sameSelection('diff', { ...options, fleet: state })
  const steps = [[diff, 'shows what changed since the last of these states']] as const
  const result = { ...facts, changes: found.length, events, contested }
  await writeResult(historyFormats, result, steps, options, io)
  return exit.done
}

function isSelected({ site, wlan, field, since }: Options): (event: EstateEvent) => boolean {
  return event =>
    matchesAny(site, event.site, event.siteId) &&
    matchesAny(wlan, event.ssid, event.address) &&
    matchesAny(field, formatField(event.pointer), event.pointer) &&
    (since === undefined || Date.parse(event.time) >= since.getTime())
}

/** Milliseconds for the command that names people. */
const TIMEOUT = 60_000

/** The events with the names that the command gives: one for each, or null. Throws a `Failure` (exit 3). */
async function withNames(
  events: readonly EstateEvent[],
  { whoCommand }: Options,
  io: Io
): Promise<readonly EstateEvent[]> {
  if (whoCommand === undefined || events.length === 0) return events
  const name = 'the command of --who-command'
  const asked = events.map(({ time, siteId, wlanId }) => ({
    time,
    site_id: siteId,
    wlan_id: wlanId
  }))
  const env = withoutCredentials(io.env, { secretPrefix: '', tokens: [] })
  const asking = { name, timeout: TIMEOUT, env }
  const { problem, json } = await askProgram(whoCommand, { events: asked }, asking, io)
  if (problem !== undefined) throw wrongInput(problem)
  const isName = (each: unknown) => each === null || typeof each === 'string'
  if (Array.isArray(json) && json.length === events.length && json.every(isName)) {
    return events.map((event, at) => ({ ...event, ...compact({ who: json[at] ?? undefined }) }))
  }
  throw wrongInput(
    `${name} did not answer with a name for each of ${plural(events.length, 'change')}`,
    'print a JSON list of names, with null for an unknown one, in the order of "events"'
  )
}
