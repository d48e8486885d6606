import { Option } from 'commander'
import { adopt as adoptLive } from '../../author/adopt/adopt.ts'
import {
  adoptableFields,
  adoptableUndeclared,
  fieldsWithoutDrift,
  type UndeclaredWlan
} from '../../author/adopt/fields.ts'
import type { Desired } from '../../core/model/desired.ts'
import { type ExitCode, exit } from '../../core/model/failure.ts'
import type { PlannedChange } from '../../core/model/plan.ts'
import { planSite } from '../../core/plan/plan.ts'
import { groupBy } from '../../core/values/collections.ts'
import { rereadFiles } from '../../fleet/files/reread.ts'
import { referencesOnly } from '../../fleet/secrets/source.ts'
import { adoptionFormats } from '../../report/commands/results.ts'
import { formatField } from '../../report/fields/format-value.ts'
import { makePlan, type PlanResult } from '../../run/make-plan.ts'
import type { CommandRow } from '../command.ts'
import { withReader } from '../connect.ts'
import { type EditingOptions, offerEdits } from '../files/edited-files.ts'
import { loadDesired } from '../load-desired.ts'
import { appendPointer, repeatable } from '../option-values.ts'
import { fleetArgument, groups, optionSets, type PlanningOptions, under } from '../options.ts'
import { writeFormats, writeReportToStderr } from '../output.ts'
import { secretSourceOf } from '../secret-source.ts'
import { type Io, writeLine } from '../terminal/io.ts'
import { sameSelection } from '../terminal/next-steps.ts'
import { runContext } from '../terminal/progress.ts'
import { printRequestSummary } from '../terminal/request-summary.ts'

interface Options extends PlanningOptions, EditingOptions {
  readonly field: readonly string[]
  readonly undeclared?: true
}

export const command: CommandRow = {
  arguments: [fleetArgument],
  options: [
    optionSets.part,
    optionSets.secrets,
    optionSets.service,
    optionSets.report,
    under(
      groups.selection,
      repeatable('--field <field>', 'only this field, e.g. auth.type; repeatable', appendPointer),
      new Option(
        '--undeclared',
        'declare the fields that `drift` reports as not watched or not at their default instead'
      )
    ),
    optionSets.editing
  ],
  examples: ['wlanctl adopt examples/quickstart --field vlan_id --yes'],
  run: ({ io }, fleet: string, options: Options) => adopt(fleet, options, io)
}

/** Writes the live values to the files. Never writes secrets to files. */
async function adopt(fleet: string, options: Options, io: Io): Promise<ExitCode> {
  const { desired, plan, changes, undeclared } = await readLive(fleet, options, io)
  const files = await rereadFiles(fleet, io.cwd, io.interrupted)
  const wlans = undeclared === undefined ? changes.map(ofChange) : undeclared.wlans
  const adoption = await adoptLive({
    wlans,
    found: undeclared ?? adoptableFields(changes, options.field),
    sources: files.map(({ source }) => source),
    secrets: referencesOnly(options.secretPrefix)
  })
  if (!options.quiet && undeclared === undefined)
    await printUnmatchedFields(fieldsWithoutDrift(changes, options.field), io)
  const { findings } = plan
  if (findings.length > 0) await writeReportToStderr({ kind: 'findings', findings }, options, io)
  const { blocked, sites_failed } = plan.summary
  const isIncomplete = adoption.left.length + blocked + sites_failed > 0
  const adopted = groupBy(adoption.adopted, ({ address }) => address)
  const shown = wlans.flatMap(({ address, site, live }) => {
    const pointers = adopted.get(address)?.map(({ pointer }) => pointer)
    return pointers === undefined ? [] : { address, site, live, pointers }
  })
  const formats = adoptionFormats(sites_failed, undeclared ? 'the default' : 'declared')
  await writeFormats(formats, adoption, { fleet }, options, io)
  const next = [sameSelection('plan', { ...options, fleet }), 'shows what still differs'] as const
  await offerEdits(adoption.files, files, { shown, desired, next }, options, io)
  return isIncomplete ? exit.incomplete : exit.done
}

function ofChange({ address, change: { site }, desired, live }: PlannedChange): UndeclaredWlan {
  return { address, site, desired, live }
}

type UndeclaredPart = ReturnType<typeof adoptableUndeclared>

async function readLive(
  fleet: string,
  options: Options,
  io: Io
): Promise<PlanResult & { readonly desired: Desired; readonly undeclared?: UndeclaredPart }> {
  const desired = await loadDesired(fleet, options, io, secretSourceOf(options, io))
  return withReader(options, io, desired, async reader => {
    const parts: UndeclaredPart[] = []
    const planner: typeof planSite = (site, live, matches) => {
      if (options.undeclared) parts.push(adoptableUndeclared(site, live, options.field))
      return planSite(site, live, matches)
    }
    const request = { ...options, planner, lint: false } as const
    const result = await makePlan(desired, reader, request, runContext(options, io))
    await printRequestSummary(result.plan.summary, options, io, reader)
    const undeclared = {
      adoptable: parts.flatMap(({ adoptable }) => adoptable),
      left: parts.flatMap(({ left }) => left),
      wlans: parts.flatMap(({ wlans }) => wlans)
    }
    return { ...result, desired, ...(options.undeclared && { undeclared }) }
  })
}

/** Warns about each `--field` without drift, which is often a typo. */
async function printUnmatchedFields(fields: readonly string[], io: Io): Promise<void> {
  if (fields.length === 0) return
  const named = fields.map(formatField).join(', ')
  await writeLine(io, `wlanctl: no WLAN that was read differs in ${named}`)
}
