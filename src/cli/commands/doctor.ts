import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { hasSchedule, secretVariables } from '../../core/model/desired.ts'
import { type ExitCode, exit, wrongInput } from '../../core/model/failure.ts'
import type { DoctorCheck } from '../../core/model/finding.ts'
import { loadFleet } from '../../fleet/load.ts'
import { referencesOnly, type SecretOptions } from '../../fleet/secrets/source.ts'
import { renderDoctorJson, renderDoctorText } from '../../report/commands/results.ts'
import type { Context } from '../context.ts'
import { failureOf, programCheck, runChecks } from '../doctor/check.ts'
import { gitIn } from '../files/git.ts'
import { orgOption } from '../import/requested-sites.ts'
import { repeatable } from '../option-values.ts'
import {
  addExample,
  addFleetArgument,
  addGroup,
  addOptions,
  groups,
  type ServiceOptions,
  yesOption
} from '../options.ts'
import { writeTextOrJson } from '../output.ts'
import type { Io } from '../terminal/io.ts'
import { printNextSteps, sameSelection } from '../terminal/next-steps.ts'

interface Options extends ServiceOptions, SecretOptions {
  readonly format: 'text' | 'json'
  readonly color: boolean
  readonly org?: string
  readonly ci?: true
  readonly apply?: true
  readonly yes?: true
  readonly reviewer: readonly string[]
}

export function define(command: Command, { io, ends }: Context): void {
  addOptions(addFleetArgument(command), 'secrets', 'service', 'textOrJson')
  addGroup(command, groups.connection, orgOption())
  addGroup(
    command,
    groups.repository,
    new Option(
      '--ci',
      'check the repository instead: its CI files, and its settings on GitHub or GitLab, with `gh` or `glab`'
    ),
    new Option('--apply', 'with --ci: make the settings, after showing them'),
    repeatable(
      '--reviewer <name>',
      'with --apply: who approves each apply, such as @acme/network; repeatable'
    ),
    yesOption()
  ).action(ends((fleet: string, options: Options) => doctor(fleet, options, io)))
  addExample(command, 'wlanctl doctor examples/quickstart')
}

async function doctor(fleet: string, options: Options, io: Io): Promise<ExitCode> {
  checkOptions(options)
  if (options.ci) return report(await repositoryChecks(fleet, options, io), options, io)
  const { requirements, runOf } = await import('../doctor/requirements.ts')
  const code = await report(
    await runChecks(requirements, await runOf(fleet, options, io)),
    options,
    io
  )
  const next = [
    sameSelection('plan', { fleet }),
    'compares the files with the live networks'
  ] as const
  await printNextSteps(code === exit.done ? [next] : [], options, io)
  return code
}

function checkOptions({ ci, apply, yes, reviewer }: Options): void {
  if (ci && (apply || !(yes || reviewer.length > 0))) return
  const [first] = [
    ...(reviewer.length > 0 ? ['--reviewer'] : []),
    ...(yes ? ['--yes'] : []),
    ...(apply ? ['--apply'] : [])
  ]
  if (first === undefined) return
  const needed = first === '--apply' ? '--ci' : '--ci --apply'
  throw wrongInput(`${first} needs ${needed}`)
}

async function repositoryChecks(fleet: string, options: Options, io: Io): Promise<DoctorCheck[]> {
  const { desired } = await loadFleet({
    directory: fleet,
    cwd: io.cwd,
    secrets: referencesOnly(options.secretPrefix),
    signal: io.interrupted
  })
  const facts = desired && {
    secrets: secretVariables(desired),
    hasSchedule: hasSchedule(desired)
  }
  const checks = await runChecks([programCheck], { io })
  const { checkRepository } = await import('../doctor/repository.ts')
  try {
    const root = await rootOf(resolve(io.cwd, fleet), io)
    return [...checks, ...(await checkRepository(root, facts, options, io))]
  } catch (error) {
    if (options.apply) throw error
    return [...checks, failureOf('repository', error)]
  }
}

/** The root of the checkout that contains a folder. Throws a `Failure` (exit 3) if there is none. */
async function rootOf(folder: string, io: Io): Promise<string> {
  const { code, stdout } = await gitIn(folder, io)(['rev-parse', '--show-toplevel'])
  if (code === 0) return stdout.toString().trim()
  throw wrongInput(
    'the fleet is not in a git repository',
    'create one: git init, or `wlanctl init` for all of its files'
  )
}

async function report(checks: readonly DoctorCheck[], options: Options, io: Io): Promise<ExitCode> {
  await writeTextOrJson(checks, renderDoctorJson, renderDoctorText, options, io)
  return checks.some(({ state }) => state === 'wrong') ? exit.failed : exit.done
}
