import { type Command, Option } from 'commander'
import { removableCodes } from '../../author/fix/file-fixes.ts'
import { type LiveOf, liveWlansOf } from '../../author/fix/findings.ts'
import { type FixRequest, fixFleet } from '../../author/fix/fix.ts'
import type { FixLayer } from '../../author/fix/places.ts'
import { lintRulesById } from '../../core/lint/catalogue.ts'
import { nearestTopic } from '../../core/lint/explain.ts'
import type { Desired } from '../../core/model/desired.ts'
import { type ExitCode, exit, wrongInput } from '../../core/model/failure.ts'
import type { FixResult } from '../../core/model/fix.ts'
import type { LiveSite, UnreadSite } from '../../core/model/live.ts'
import { quote } from '../../core/values/text.ts'
import { referencesOnly } from '../../fleet/secrets/source.ts'
import { rereadFiles } from '../../fleet/unresolved-fleet.ts'
import { renderFixJson, renderFixText } from '../../report/commands/fix.ts'
import type { SeenWlan } from '../../run/read-sites.ts'
import type { Context } from '../context.ts'
import { type EditingOptions, offerEdits } from '../files/edited-files.ts'
import { withLiveSites } from '../import/live-sites.ts'
import { loadDesired } from '../load-desired.ts'
import { repeatable } from '../option-values.ts'
import {
  addExample,
  addFleetArgument,
  addGroup,
  addOptions,
  groups,
  type PlanningOptions
} from '../options.ts'
import { writeTextOrJson } from '../output.ts'
import type { Io } from '../terminal/io.ts'
import { sameSelection } from '../terminal/next-steps.ts'

interface Options extends PlanningOptions, EditingOptions {
  readonly rule: readonly string[]
  readonly layer: FixLayer
  readonly unsafe?: true
  readonly live?: true
  readonly against?: string
}

export function define(command: Command, { io, ends }: Context): void {
  addOptions(addFleetArgument(command), 'part', 'secretPrefix', 'service', 'textOrJson')
  addGroup(
    command,
    groups.selection,
    repeatable('--rule <name>', 'only findings of this rule, of any level; repeatable'),
    new Option('--live', 'compare with the live networks, which proves more fixes safe'),
    new Option(
      '--against <state>',
      'compare with a snapshot: its file, its folder, or its folder in Git (REV:DIR)'
    ).conflicts('live')
  )
  addGroup(
    addOptions(command, 'editing'),
    groups.limits,
    new Option('--unsafe', 'also make fixes that change a network, or that may change it')
  )
  addGroup(
    command,
    groups.output,
    new Option(
      '--layer <layer>',
      'where to fix what a profile declares: in the `profile`, or as an override of each `site`'
    )
      .choices(['profile', 'site'])
      .default('profile')
  ).action(ends((fleet: string, options: Options) => fix(fleet, { ...options, report: [] }, io)))
  addExample(command, 'wlanctl fix examples/quickstart', 'wlanctl fix --rule owe-ignored --live')
}

/** The live state that fixes are compared with. */
interface Compared {
  readonly desired: Desired
  readonly liveOf: LiveOf
  /** True if it was read from the service in this run. */
  readonly isFromService: boolean
  readonly isIncomplete: boolean
}

/** Resolves findings of the linter in the files. */
async function fix(fleet: string, options: Options, io: Io): Promise<ExitCode> {
  checkRules(options.rule)
  const compared = await compare(fleet, options, io)
  const { desired, liveOf, isIncomplete } = compared
  const files = await rereadFiles(fleet, io.cwd, io.interrupted)
  const selected = new Set(
    desired.sites.flatMap(({ wlans }) => wlans.flatMap(wlan => (wlan.excluded ? [] : wlan.address)))
  )
  const request: FixRequest = {
    sources: files.map(({ source }) => source),
    isSelected: address => selected.has(address),
    rules: options.rule,
    layer: options.layer,
    unsafe: options.unsafe === true,
    liveOf,
    secrets: referencesOnly(options.secretPrefix),
    now: io.now()
  }
  const result = await fixFleet(request)
  await writeTextOrJson(result, renderFixJson, renderFixText, options, io)
  const shown = comparedIn(result, compared)
  const next = [sameSelection('validate', { ...options, fleet }), 'checks the files'] as const
  const editing = { command: 'fix', done: 'fixed', shown, desired, next }
  await offerEdits(result.files, files, editing, options, io)
  return isIncomplete ? exit.incomplete : exit.done
}

/** Throws a `Failure` (exit 3) for a name that is no rule, and for a rule without a fix. */
function checkRules(names: readonly string[]): void {
  for (const name of names) {
    if (removableCodes.has(name)) continue
    const rule = lintRulesById.get(name)
    if (rule === undefined) {
      const near = nearestTopic(name)
      const isRule = near !== undefined && lintRulesById.has(near)
      const hint = isRule ? `did you mean ${quote(near)}?` : '`wlanctl explain` lists the rules'
      throw wrongInput(`expected a lint rule, got ${quote(name)}`, hint)
    }
    if (rule.noFix !== undefined) throw wrongInput(`${name} has no fix: ${rule.noFix}`, rule.advice)
  }
}

async function compare(fleet: string, options: Options, io: Io): Promise<Compared> {
  const { live: isFromService = false, against } = options
  const loading = isFromService ? options : { ...options, isOffline: true as const }
  const desired = await loadDesired(fleet, loading, io)
  const found = new Map<string, LiveSite | UnreadSite>()
  if (isFromService || against !== undefined) {
    await withLiveSites({ desired, verb: 'read' }, options, io, ({ read }) =>
      read(({ name }, state) => found.set(name, state))
    )
  }
  const isIncomplete = isFromService && [...found.values()].some(state => !('wlans' in state))
  return { desired, liveOf: ({ name }) => found.get(name), isFromService, isIncomplete }
}

/** The live WLANs, read in this run, that fixes were compared with. */
function comparedIn({ fixes }: FixResult, { desired, liveOf, isFromService }: Compared) {
  if (!isFromService) return []
  const reached = new Set(fixes.flatMap(({ addresses, touched }) => [...addresses, ...touched]))
  return desired.sites.flatMap(site =>
    [...liveWlansOf(site, liveOf)].flatMap(([{ address }, live]): SeenWlan[] =>
      reached.has(address) ? [{ address, site, live, pointers: [''] }] : []
    )
  )
}
