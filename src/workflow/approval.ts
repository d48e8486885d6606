import { type Command, InvalidArgumentError, Option } from 'commander'
import { readPlan } from '../cli/files/saved-files.ts'
import type { Io } from '../cli/io.ts'
import { exit, Failure } from '../model/failure.ts'
import type { Plan } from '../model/plan.ts'

/** What a run may have been approved by; each of them only on the command line. */
export interface ApprovalOptions {
  readonly plan?: string
  readonly expect?: string
  /** Seconds. */
  readonly maxPlanAge?: number
}

const UNITS = { s: 1, m: 60, h: 3600, d: 86_400 }

/** A plan may be so far ahead of our clock: machines differ by a little, in milliseconds. */
const TOLERANCE = 5 * 60_000

export function addApprovalOptions(command: Command): Command {
  return command
    .addOption(new Option('--plan <file>', 'send only what this saved plan approves'))
    .addOption(
      new Option('--expect <digest>', 'refuse unless the plan is exactly this one').argParser(
        digest
      )
    )
    .addOption(
      new Option('--max-plan-age <time>', 'refuse an older --plan; 90s, 30m, 12h or 7d').argParser(
        duration
      )
    )
}

/** The saved plan that approves, if one does. Throws (exit 3, exit 4) where it cannot be used. */
export async function readApproval(
  { plan: file, maxPlanAge }: ApprovalOptions,
  baseUrl: string,
  io: Io
): Promise<Plan | undefined> {
  if (file === undefined) return undefined
  const plan = await readPlan(file, io)
  if (plan.base_url !== baseUrl) {
    throw new Failure(
      exit.wrongInput,
      `${file} is a plan for ${plan.base_url}, and this run is for ${baseUrl}`,
      'plan again for this service'
    )
  }
  if (maxPlanAge !== undefined) refuseOld(plan, file, maxPlanAge, io)
  return plan
}

/** Throws (exit 4) unless the plan has this digest. */
export function refuseUnexpected({ digest }: Plan, { expect }: ApprovalOptions): void {
  if (expect === undefined || expect === digest) return
  throw new Failure(
    exit.refused,
    `refused: the plan is ${digest}, and ${expect} was expected; nothing was sent`,
    'the files, the live state or the service changed since: look at the plan again'
  )
}

/** A plan is as old as what it was made on. */
function refuseOld({ against, ...plan }: Plan, file: string, most: number, io: Io): void {
  const { created } = against ?? plan
  const age = (io.now().getTime() - Date.parse(created)) / 1000
  if (age <= most && age * 1000 >= -TOLERANCE) return
  const said = age < 0 ? 'was made in the future' : `is ${Math.floor(age)} s old`
  throw new Failure(
    exit.refused,
    `refused: ${file} ${said} (${created}), and --max-plan-age allows ${most} s; nothing was sent`,
    'plan again, and have that approved'
  )
}

function digest(text: string): string {
  if (/^sha256:[0-9a-f]{64}$/.test(text)) return text
  throw new InvalidArgumentError('It must be a digest as `plan` prints it, sha256:….')
}

function duration(text: string): number {
  const [, number = '', unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  if (number === '') throw new InvalidArgumentError('It must be like 90s, 30m, 12h or 7d.')
  return Number(number) * UNITS[unit as keyof typeof UNITS]
}
