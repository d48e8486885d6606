import { type Command, Option } from 'commander'
import type { DesiredWlan } from '../../model/desired.ts'
import { type ExitCode, exit } from '../../model/failure.ts'
import type { Value, ValueObject } from '../../model/value.ts'
import { escapeJson } from '../../report/escape.ts'
import { mapLines } from '../../yaml-edit/write.ts'
import type { Context } from '../context.ts'
import {
  addDeclaredOptions,
  type DeclaredOptions,
  declaredWlans,
  loadDeclared
} from '../declared.ts'
import { type Io, write } from '../io.ts'
import { addExample, addGroup, groups } from '../options.ts'

interface Options extends DeclaredOptions {
  readonly format: 'yaml' | 'json'
}

export function define(command: Command, { io, ends }: Context): void {
  command.argument(
    '[address...]',
    'WLANs such as hq/guest, or globs over addresses such as "*/guest"; default: all'
  )
  addGroup(
    addDeclaredOptions(command),
    groups.output,
    new Option('--format <format>', 'the format of the result')
      .choices(['yaml', 'json'])
      .default('yaml')
  ).action(ends((addresses: readonly string[], options: Options) => render(addresses, options, io)))
  command.addHelpText(
    'after',
    '\nProfiles, variables, groups and overrides are resolved; secrets stay references.'
  )
  addExample(command, 'wlanctl render hq/guest --fleet examples/quickstart')
}

/** Prints the effective WLANs by address, each as a block for a fleet file. */
async function render(addresses: readonly string[], options: Options, io: Io): Promise<ExitCode> {
  const { desired } = await loadDeclared(options, io)
  const blocks = Object.fromEntries(
    declaredWlans(addresses, desired).map(({ wlan }) => [wlan.address, blockOf(wlan)])
  )
  const text =
    options.format === 'json'
      ? `${escapeJson(JSON.stringify(blocks, null, 2))}\n`
      : `${mapLines(blocks, 0).join('\n')}\n`
  await write(io, text)
  return exit.done
}

/** The block that declares a WLAN. */
function blockOf({ id, matchSsid, protect, managed, fields }: DesiredWlan): ValueObject {
  const block: Record<string, Value> = {
    ...(id !== undefined && { id }),
    ...(matchSsid !== undefined && { $match: { ssid: matchSsid } }),
    ...(protect && { $protect: true }),
    ...(managed === false && { $managed: false })
  }
  return { ...block, ...fields }
}
