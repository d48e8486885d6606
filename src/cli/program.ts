import { Command } from 'commander'
import { type ExitCode, exit } from '../model/failure.ts'
import { applyEnvironment } from './environment.ts'
import { type Io, write } from './io.ts'
import { refuseEmptyArguments, refuseSlips, shownUsageError } from './usage-error.ts'
import { tool } from './version.ts'

/** What the file of a command exports. */
export interface CommandFile {
  /** Adds arguments, options and an example, and says what the command does when it is called. */
  define(command: Command, context: Context): void
}

/** What a command is given beside its own words. */
export interface Context {
  readonly io: Io
  /** Ends the command with this exit code. */
  readonly ends: <Args extends unknown[]>(
    action: (...args: Args) => Promise<ExitCode>
  ) => (...args: Args) => Promise<void>
  /** The whole program, every command defined: for those that speak of it. */
  readonly whole: () => Promise<Command>
  /** Runs the program anew, as `demo` does. */
  readonly run: (io: Io) => Promise<ExitCode>
}

/**
 * The commands: a name, what it does, and its file, which is loaded only when it is called. A new
 * command is a file in this room and a line here.
 */
const commands: Readonly<
  Record<string, readonly [does: string, load: () => Promise<CommandFile>]>
> = {
  validate: [
    'check the files; needs no network, token or secret',
    () => import('./commands/validate.ts')
  ],
  plan: ['show what apply would do', () => import('./commands/plan.ts')],
  apply: [
    'make the service as the files declare it, and read it back',
    () => import('./commands/apply.ts')
  ],
  drift: [
    'the scheduled check: exit 2 when live differs from declared',
    () => import('./commands/drift.ts')
  ],
  snapshot: [
    'store what the service has, for `plan --against`',
    () => import('./commands/snapshot.ts')
  ],
  show: [
    'show a saved plan, or the record of what was applied',
    () => import('./commands/show.ts')
  ],
  merge: ['make one whole of what several runs left', () => import('./commands/merge.ts')],
  revert: ['undo what a record says was applied', () => import('./commands/revert.ts')],
  import: ['write the files of live sites', () => import('./commands/import.ts')],
  adopt: [
    'write live values into the files, where they drifted',
    () => import('./commands/adopt.ts')
  ],
  doctor: [
    'look at all that a run needs, and say what to mend',
    () => import('./commands/doctor.ts')
  ],
  token: ['create or list API tokens', () => import('./commands/token.ts')],
  simulate: ['run the embedded service on a loopback port', () => import('./commands/simulate.ts')],
  demo: ['tell the whole story on the embedded service', () => import('./commands/demo.ts')],
  schema: ['print a JSON Schema, for editors', () => import('./commands/schema.ts')],
  completion: ['print the completion script of a shell', () => import('./commands/completion.ts')]
}

const closing = `
Exit codes:
  0  done                           3  the input is wrong; nothing was sent
  1  failed                         4  refused by a limit or policy; nothing was sent
  2  there are changes (drift,      5  incomplete: not all could be read or applied
     plan --detailed-exitcode)    130  interrupted`

/** Parses the words of the call, loads the command they name, and runs it. */
export async function parse(io: Io, run: Context['run']): Promise<ExitCode> {
  let code: ExitCode = exit.done
  const context: Context = {
    io,
    ends:
      action =>
      async (...args) => {
        code = await action(...args)
      },
    run,
    whole: () => program(context, Object.keys(commands), () => undefined)
  }
  const called = io.argv.filter(word => Object.hasOwn(commands, word)).slice(0, 1)
  const help: string[] = []
  const root = await program(context, called, text => help.push(text))
  try {
    await root.parseAsync(meant(io.argv), { from: 'user' })
  } finally {
    if (help.length > 0) await write(io, help.join(''))
  }
  return code
}

/** `help` of a command that does not exist is that command, of which commander says what is wrong. */
function meant(argv: readonly string[]): readonly string[] {
  const [first, second = '-'] = argv
  const isKnown = second.startsWith('-') || Object.hasOwn(commands, second)
  return first !== 'help' || isKnown ? argv : argv.slice(1)
}

/** The program with these commands defined, and the others known by name; it gives its help to `tell`. */
async function program(
  context: Context,
  defined: readonly string[],
  tell: (text: string) => unknown
): Promise<Command> {
  const { io } = context
  const root = new Command('wlanctl')
    .description('Keeps the Wi-Fi networks of many sites as YAML in Git declares them.')
    .version(tool.version, '--version', 'print the version')
    .helpOption('--help', 'show help')
    .exitOverride()
    .showHelpAfterError('(--help shows what there is)')
    .configureOutput({
      writeOut: text => void tell(text),
      writeErr: text => void io.stderr.write(text),
      outputError: (text, writeErr) => writeErr(shownUsageError(text)),
      getOutHelpWidth: () => io.stdout.columns ?? 80,
      getErrHelpWidth: () => io.stderr.columns ?? 80,
      getOutHasColors: () => false,
      getErrHasColors: () => false
    })
    .addHelpText('after', closing)
    .hook('preAction', (_, called) => {
      refuseEmptyArguments(called)
      applyEnvironment(called, io)
    })
  for (const [name, [does, load]] of Object.entries(commands)) {
    const command = root.command(name).description(does)
    if (!defined.includes(name)) continue
    ;(await load()).define(command, context)
    refuseSlips(command)
  }
  return root
}
