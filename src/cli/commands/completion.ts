import { Argument, type Command, Option } from 'commander'
import { loadFleet } from '../../config/load.ts'
import { type ExitCode, exit } from '../../model/failure.ts'
import { referencesOnly } from '../../secrets/source.ts'
import { bash, fish, fleetValues, wordsOf, zsh } from '../completion.ts'
import type { Context } from '../context.ts'
import { type Io, write } from '../io.ts'
import { addExample } from '../options.ts'

const shells = { bash, zsh, fish }

interface Options {
  /** Prints the values of this option instead of the script; the scripts call it. */
  readonly values?: 'site' | 'wlan'
}

export function define(command: Command, { io, ends, loadProgram }: Context): void {
  command
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(shells)))
    .addArgument(new Argument('[fleet]', 'the fleet of --values').default('.'))
    .addOption(
      new Option('--values <option>', 'print the names in a fleet').choices(fleetValues).hideHelp()
    )
    .action(
      ends(async (shell: keyof typeof shells, fleet: string, { values }: Options) => {
        if (values !== undefined) return printValues(values, fleet, io)
        await write(io, shells[shell](wordsOf(await loadProgram())))
        return exit.done
      })
    )
  addExample(command, 'wlanctl completion bash')
}

/** Prints the names of the sites or the keys of the WLANs of a fleet, one a line; none of an invalid fleet. */
async function printValues(values: 'site' | 'wlan', directory: string, io: Io): Promise<ExitCode> {
  const { desired } = await loadFleet({ directory, cwd: io.cwd, secrets: referencesOnly() })
  const sites = desired?.sites ?? []
  const names =
    values === 'site'
      ? sites.map(({ name }) => name)
      : sites.flatMap(({ wlans }) => wlans.map(({ key }) => key))
  const printable = [...new Set(names)].filter(name => !/\p{Cc}/u.test(name)).sort()
  await write(io, printable.map(name => `${name}\n`).join(''))
  return exit.done
}
