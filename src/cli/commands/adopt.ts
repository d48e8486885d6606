import { type Command, Option } from 'commander'
import { adopt as adoptLive } from '../../author/adopt/adopt.ts'
import {
  adoptableFields,
  adoptableUndeclared,
  fieldsWithoutDrift,
  type UndeclaredWlan
} from '../../author/adopt/fields.ts'
import type { ReadSite } from '../../author/adopt/unmanaged.ts'
import type { Adoption } from '../../core/model/adoption.ts'
import type { Desired } from '../../core/model/desired.ts'
import { type ExitCode, exit } from '../../core/model/failure.ts'
import { type Finding, finding } from '../../core/model/finding.ts'
import type { PlannedChange } from '../../core/model/plan.ts'
import { planSite } from '../../core/plan/plan.ts'
import { groupBy } from '../../core/values/collections.ts'
import { referencesOnly } from '../../fleet/secrets/source.ts'
import { type ReadFile, rereadFiles } from '../../fleet/unresolved-fleet.ts'
import { renderAdoptionJson, renderAdoptionText } from '../../report/commands/results.ts'
import { escapeText } from '../../report/escape.ts'
import { makePlan, type PlanResult } from '../../run/make-plan.ts'
import type { SeenWlan } from '../../run/read-sites.ts'
import { withReader } from '../connect.ts'
import type { Context } from '../context.ts'
import { type EditingOptions, offerEdits } from '../files/edited-files.ts'
import { checkNew, writeFileAtomic } from '../files/files.ts'
import { withLiveSites } from '../import/live-sites.ts'
import { loadDesired } from '../load-desired.ts'
import { appendPointer, repeatable } from '../option-values.ts'
import {
  addExample,
  addFleetArgument,
  addGroup,
  addOptions,
  groups,
  type PlanningOptions
} from '../options.ts'
import { writeReportToStderr, writeTextOrJson } from '../output.ts'
import { runContext } from '../run-context.ts'
import { secretSourceOf } from '../secrets-command.ts'
import { type Io, writeLine } from '../terminal/io.ts'
import { sameSelection } from '../terminal/next-steps.ts'
import { printRequestSummary } from '../terminal/request-summary.ts'

interface Options extends PlanningOptions, EditingOptions {
  readonly field: readonly string[]
  readonly undeclared?: true
  readonly unmanaged: readonly string[]
  readonly secretsOut?: string
}

export function define(command: Command, { io, ends }: Context): void {
  addOptions(addFleetArgument(command), 'part', 'secrets', 'service', 'textOrJson')
  addGroup(
    command,
    groups.selection,
    repeatable('--field <pointer>', 'only this field, e.g. /auth/type; repeatable', appendPointer),
    new Option(
      '--undeclared',
      'declare the fields that `drift` reports as not watched or not at their default instead'
    ),
    repeatable(
      '--unmanaged <address>',
      'declare this unmanaged WLAN instead, e.g. hq/IoT or hq/<id>, or a glob; repeatable'
    ).conflicts(['field', 'undeclared', 'wlan'])
  )
  addOptions(command, 'editing')
  addGroup(
    command,
    groups.output,
    new Option(
      '--secrets-out <file>',
      'with --unmanaged, write the secrets to a file, to move them into a vault'
    ).conflicts('dryRun')
  ).action(ends((fleet: string, options: Options) => adopt(fleet, { ...options, report: [] }, io)))
  addExample(command, 'wlanctl adopt examples/quickstart --field /vlan_id --yes')
}

interface Computed {
  readonly adoption: Adoption
  readonly files: readonly ReadFile[]
  /** True if fields are not adopted or sites were not read. */
  readonly isIncomplete: boolean
  readonly unread: number
  /** The live values that are written. */
  readonly shown: readonly SeenWlan[]
  readonly desired: Desired
  readonly beforeWriting?: () => Promise<void>
}

/** Writes the live values to the files, or declares unmanaged WLANs. Never writes secrets to files. */
async function adopt(fleet: string, options: Options, io: Io): Promise<ExitCode> {
  const isTakeover = options.unmanaged.length > 0
  const computed = await (isTakeover ? unmanaged : drift)(fleet, options, io)
  const { adoption, files, isIncomplete } = computed
  const text: typeof renderAdoptionText = (found, shown) =>
    renderAdoptionText(found, shown, computed.unread)
  await writeTextOrJson(adoption, renderAdoptionJson, text, options, io)
  const next = [sameSelection('plan', { ...options, fleet }), 'shows what still differs'] as const
  await offerEdits(adoption.files, files, { ...computed, next }, options, io)
  return isIncomplete ? exit.incomplete : exit.done
}

async function drift(fleet: string, options: Options, io: Io): Promise<Computed> {
  const { desired, plan, changes, undeclared } = await readLive(fleet, options, io)
  const files = await rereadFiles(fleet, io.cwd, io.interrupted)
  const wlans = undeclared === undefined ? changes.map(ofChange) : undeclared.wlans
  const adoption = await adoptLive({
    wlans,
    found: undeclared ?? adoptableFields(changes, options.field),
    sources: files.map(({ source }) => source),
    now: io.now(),
    secrets: referencesOnly(options.secretPrefix)
  })
  if (!options.quiet && undeclared === undefined)
    await printUnmatchedFields(fieldsWithoutDrift(changes, options.field), io)
  await reportFindings(plan.findings, options, io)
  const { blocked, sites_failed } = plan.summary
  const isIncomplete = adoption.left.length + blocked + sites_failed > 0
  const adopted = groupBy(adoption.adopted, ({ address }) => address)
  const shown = wlans.flatMap(({ address, site, live }) => {
    const pointers = adopted.get(address)?.map(({ pointer }) => pointer)
    return pointers === undefined ? [] : { address, site, live, pointers }
  })
  return { adoption, files, desired, isIncomplete, unread: sites_failed, shown }
}

function ofChange({ address, change: { site }, desired, live }: PlannedChange): UndeclaredWlan {
  return { address, site, desired, live }
}

async function unmanaged(fleet: string, options: Options, io: Io): Promise<Computed> {
  const { secretsOut } = options
  if (secretsOut !== undefined) await checkNew([secretsOut], false, io.cwd)
  const { sites, unread, desired } = await readUnmanaged(fleet, options, io)
  const files = await rereadFiles(fleet, io.cwd, io.interrupted)
  const { takeOver } = await import('../../author/adopt/unmanaged.ts')
  const { adoption, secrets, findings } = await takeOver({
    sites,
    addresses: options.unmanaged,
    sources: files.map(({ source }) => source),
    secretPrefix: options.secretPrefix,
    secrets: referencesOnly(options.secretPrefix)
  })
  await reportFindings([...unread, ...findings], options, io)
  const writeSecrets = async () => {
    if (secretsOut === undefined) return
    const { dotenv } = await import('../../author/import/secrets.ts')
    await writeFileAtomic(secretsOut, dotenv(secrets), io.cwd)
  }
  const takenIds = new Map(adoption.taken?.map(({ id, address }) => [id, address]))
  const shown = sites.flatMap(([site, { wlans }]) =>
    wlans.flatMap(live => {
      const address = takenIds.get(live.id)
      return address === undefined ? [] : { address, site, live, pointers: [''] }
    })
  )
  const isIncomplete = unread.length > 0
  return {
    adoption,
    files,
    desired,
    isIncomplete,
    unread: unread.length,
    shown,
    beforeWriting: writeSecrets
  }
}

type UndeclaredPart = ReturnType<typeof adoptableUndeclared>

async function readLive(
  fleet: string,
  options: Options,
  io: Io
): Promise<PlanResult & { readonly desired: Desired; readonly undeclared?: UndeclaredPart }> {
  const desired = await load(fleet, options, io)
  return withReader(options, io, desired, async reader => {
    const parts: UndeclaredPart[] = []
    const planner: typeof planSite = (site, live, matches) => {
      if (options.undeclared) parts.push(adoptableUndeclared(site, live, options.field))
      return planSite(site, live, matches)
    }
    const request = { ...options, planner, lint: false } as const
    const result = await makePlan(desired, reader, request, runContext(options, io))
    await printRequestSummary({ ...result.plan.summary, rest: 'by shards' }, options, io, reader)
    const undeclared = {
      adoptable: parts.flatMap(({ adoptable }) => adoptable),
      left: parts.flatMap(({ left }) => left),
      wlans: parts.flatMap(({ wlans }) => wlans)
    }
    return { ...result, desired, ...(options.undeclared && { undeclared }) }
  })
}

/** Reads the sites that addresses may match. Findings list those that could not be read. */
async function readUnmanaged(
  fleet: string,
  options: Options,
  io: Io
): Promise<{
  readonly sites: readonly ReadSite[]
  readonly unread: readonly Finding[]
  readonly desired: Desired
}> {
  const site = options.site.length > 0 ? options.site : options.unmanaged.map(siteOf)
  const desired = await load(fleet, { ...options, site }, io)
  const sites: ReadSite[] = []
  const unread: Finding[] = []
  await withLiveSites({ desired, verb: 'read' }, options, io, async ({ read, origin }) => {
    await read((declared, live) => {
      if ('wlans' in live) sites.push([declared, live])
      else unread.push(finding('SITE_NOT_READ', { address: declared.name }, live.reason, live.hint))
    })
    const counts = { sites: desired.sites.length, sites_failed: unread.length }
    if (!('created' in origin))
      await printRequestSummary({ ...counts, rest: 'by shards' }, options, io, origin)
  })
  return { sites, unread, desired }
}

/** The glob for sites in an address or a glob for addresses. */
function siteOf(address: string): string {
  const end = address.indexOf('/')
  return end === -1 ? address : address.slice(0, end)
}

function load(fleet: string, options: Options, io: Io): Promise<Desired> {
  return loadDesired(fleet, options, io, secretSourceOf(options, io))
}

/** Warns about each `--field` without drift, which is often a typo. */
async function printUnmatchedFields(fields: readonly string[], io: Io): Promise<void> {
  if (fields.length === 0) return
  const named = fields.map(escapeText).join(', ')
  await writeLine(io, `wlanctl: no WLAN that was read differs in ${named}`)
}

async function reportFindings(
  findings: readonly Finding[],
  options: Options,
  io: Io
): Promise<void> {
  if (findings.length > 0) await writeReportToStderr({ kind: 'findings', findings }, options, io)
}
