import type { Period } from '../../core/model/calendar.ts'
import { finding, type Where } from '../../core/model/finding.ts'
import { wlanField } from '../../core/schema/field.ts'
import { compact } from '../../core/values/collections.ts'
import { child, type Pointer } from '../../core/values/pointer.ts'
import { formatTimestamp } from '../../core/values/time.ts'
import { expectText } from '../expect.ts'
import { at, atKey } from '../files/source.ts'
import type { Findings } from '../findings.ts'
import { type Budget, cost } from '../limits.ts'
import { periodMaps, requireKeys } from '../policy/declared-calendar.ts'
import type { FleetSite } from '../sites.ts'
import type { Entry, MapNode, Node, SourceFile } from '../yaml/tree.ts'
import { overlayBlocks } from './layers.ts'
import { isReference } from './references.ts'

/** The declaration of a WLAN at a site: its block, and the override of the site. */
export interface BlockState {
  readonly block: Entry
  readonly override?: MapNode | undefined
  /** The lists of periods of its profiles, in ascending precedence. */
  readonly inherited?: readonly Node[]
}

/** A period that holds, and the fields that it declares. */
export interface HoldingPeriod {
  readonly reason: string
  readonly fields: MapNode
}

/** A period, and the declarations of its WLAN when it begins and when it has ended. */
export interface PeriodStates extends Omit<Period, 'begins' | 'ends'> {
  readonly begins: BlockState
  readonly ends: BlockState
}

/** A WLAN with periods at a site. */
export interface BlockStates {
  readonly periods: readonly PeriodStates[]
  /**
   * The declaration at the time of the run, with the active periods: those of the override take precedence
   * over those of the block, those of the block over those of its profiles, and later ones of a list over
   * earlier ones.
   */
  readonly now: BlockState
  /** The declarations with other active periods, which must be valid, too. */
  readonly others: readonly BlockState[]
  /** The declaration without an active period. */
  readonly usual: BlockState
  /** The periods that hold now, the strongest first. */
  readonly holding: readonly HoldingPeriod[]
  /** The fields of each period. */
  readonly during: readonly MapNode[]
}

/** The parts of a run that periods use. */
interface Run {
  readonly findings: Findings
  readonly budget: Budget
}

const DURING = '$during'

/** The number of days after its end from which a period is a warning. */
const KEPT_DAYS = 14
const DAY = 86_400_000

interface DeclaredPeriod extends HoldingPeriod {
  readonly from: number
  readonly until: number
}

type SiteTime = ReturnType<typeof import('../time-zones.ts').parseSiteTime>

/** Applies the periods of a fleet at one time; loads the code for time zones only if a block has periods. */
export class Periods {
  readonly #at: Date | string | undefined
  #zones: typeof import('../time-zones.ts') | undefined
  readonly #states = new WeakMap<Entry, Map<string | undefined, BlockStates>>()

  /** The last file that was searched, and whether its blocks may have periods. */
  #file: { readonly source: SourceFile; readonly mayHold: boolean } | undefined

  /** Cache of the times by time zone and text; the budget of the run bounds it. */
  readonly #instants = new Map<string, SiteTime>()

  /** The time zone of sites that name none: `policy.timezone`. */
  readonly timezone: Node | undefined

  /** `at`: a text is a local time at each site; without one, no period is active. `timezone`: that of sites that name none. */
  constructor(at: Date | string | undefined, timezone: Node | undefined) {
    this.#at = at
    this.timezone = timezone
  }

  /** True if a WLAN has periods. Searches the text of its file. */
  has({ block: { value }, override, inherited = [] }: BlockState): boolean {
    if (inherited.length > 0 || override?.entries.has(DURING)) return true
    if (value.kind !== 'map') return false
    // A block of plain YAML may not be parsed yet, and need not be if it equals another one.
    if (value.end !== undefined && !this.#mayHold(value.source)) return false
    return value.entries.has(DURING)
  }

  /** An escape sequence in a quoted key may stand for any character. */
  #mayHold(source: SourceFile): boolean {
    if (this.#file?.source !== source) {
      const { text } = source
      this.#file = { source, mayHold: text.includes(DURING) || text.includes('\\') }
    }
    return this.#file.mayHold
  }

  /** Loads the code for periods. Call it before `statesOf`. */
  async load(): Promise<void> {
    this.#zones ??= await import('../time-zones.ts')
  }

  /** The states of a WLAN with periods at a site; undefined for any other. Reports invalid periods. */
  statesOf(declared: BlockState, site: FleetSite, run: Run): BlockStates | undefined {
    if (this.#zones === undefined || !this.has(declared)) return undefined
    const zone = this.#zones.timezoneOf(site, this.timezone, run.findings)
    // An override belongs to one site.
    if (declared.override !== undefined) return this.#read(declared, zone, run)
    const { block } = declared
    const byZone = this.#states.get(block) ?? new Map<string | undefined, BlockStates>()
    this.#states.set(block, byZone)
    const known = byZone.get(zone) ?? this.#read(declared, zone, run)
    byZone.set(zone, known)
    return known
  }

  #read(
    { block, override, inherited = [] }: BlockState,
    zone: string | undefined,
    run: Run
  ): BlockStates {
    const own = [block.value as MapNode, ...(override === undefined ? [] : [override])].flatMap(
      map => map.entries.get(DURING)?.value ?? []
    )
    const declared = [...inherited, ...own].flatMap(list => periodMaps(list, run.findings))
    // Each beginning and end is compared with each period.
    const steps = declared.length * (cost.period + declared.length)
    const maps = run.budget.spend(steps) ? declared : []
    const time = this.#timeIn(zone, at(block.value), run)
    const periods = maps.flatMap(map => this.#periodIn(map, zone, time, run) ?? [])
    const base = withoutKeys(block.value as MapNode, DURING)
    const states = new Map<string, BlockState>()
    const holdingAt = (instant: number) =>
      periods.filter(({ from, until }) => instant >= from && instant < until)
    const stateAt = (instant: number) => {
      const holding = holdingAt(instant)
      const key = holding.map(period => periods.indexOf(period)).join(' ')
      const known = states.get(key) ?? stateWith(holding)
      states.set(key, known)
      return known
    }
    const stateWith = (holding: readonly DeclaredPeriod[]): BlockState =>
      override === undefined
        ? { block: { ...block, value: laidOver(base, holding, run) } }
        : {
            block: { ...block, value: base },
            override: laidOver(withoutKeys(override, DURING), holding, run)
          }
    const now = stateAt(time)
    const usual = stateAt(Number.NEGATIVE_INFINITY)
    return {
      periods: periods.map(({ from, until, reason }) => ({
        from: formatTimestamp(new Date(from)),
        until: formatTimestamp(new Date(until)),
        reason,
        ...compact({ timezone: zone }),
        begins: stateAt(from),
        ends: stateAt(until)
      })),
      now,
      others: [...states.values()].filter(state => state !== now),
      usual,
      holding: holdingAt(time).toReversed(),
      during: periods.map(({ fields }) => fields)
    }
  }

  /** The time of the run in milliseconds; not a number without one. */
  #timeIn(zone: string | undefined, where: Where, run: Run): number {
    if (typeof this.#at !== 'string') return this.#at?.getTime() ?? Number.NaN
    const instant = this.#parsed(this.#at, zone, run)
    if (instant === 'needs a zone') run.findings.push(finding('PERIOD_TIMEZONE', where))
    return typeof instant === 'number' ? instant : Number.NaN
  }

  #periodIn(
    map: MapNode,
    zone: string | undefined,
    time: number,
    run: Run
  ): DeclaredPeriod | undefined {
    const { findings } = run
    const text = (key: string) => {
      const node = map.entries.get(key)?.value
      return node && expectText(node, findings)
    }
    requireKeys(map, ['from', 'until', 'reason'], findings)
    const reason = text('reason')
    const [from, until] = ['from', 'until'].map(key =>
      this.#instant(map, key, text(key), zone, run)
    )
    const fields = withoutKeys(map, 'from', 'until', 'reason')
    for (const [name, entry] of fields.entries) {
      if (name.startsWith('$') || name === 'id')
        findings.push(finding('PERIOD_KEY', atKey(entry), name))
    }
    if (fields.entries.size === 0) findings.push(finding('PERIOD_WITHOUT_FIELDS', at(map)))
    if (from === undefined || until === undefined || reason === undefined) return undefined
    if (from >= until) {
      findings.push(finding('TIME_ORDER', at(map), text('from') ?? '', text('until') ?? ''))
      return undefined
    }
    const days = Math.floor((time - until) / DAY)
    if (days >= KEPT_DAYS) findings.push(finding('PERIOD_ENDED', at(map), reason, days))
    return { from, until, reason, fields }
  }

  #parsed(text: string, zone: string | undefined, { budget }: Run): SiteTime {
    const key = JSON.stringify([zone, text])
    if (!this.#instants.has(key) && budget.spend(cost.time)) {
      this.#instants.set(key, this.#zones?.parseSiteTime(text, zone))
    }
    return this.#instants.get(key)
  }

  #instant(
    map: MapNode,
    key: string,
    text: string | undefined,
    zone: string | undefined,
    run: Run
  ): number | undefined {
    const { findings } = run
    const node = map.entries.get(key)?.value
    if (text === undefined || node === undefined) return undefined
    const instant = this.#parsed(text, zone, run)
    if (run.budget.exhausted) return undefined
    if (instant === 'needs a zone') findings.push(finding('PERIOD_TIMEZONE', at(node)))
    else if (instant === undefined) findings.push(finding('TIME_INVALID', at(node), text))
    else return instant
    return undefined
  }
}

/** The map without some members; its text no longer matches it. */
function withoutKeys({ source, offset, entries }: MapNode, ...names: readonly string[]): MapNode {
  const kept = new Map([...entries].filter(([name]) => !names.includes(name)))
  return { kind: 'map', source, offset, entries: kept }
}

function laidOver(base: MapNode, periods: readonly DeclaredPeriod[], { budget }: Run): MapNode {
  const fieldsOf = ({ fields }: DeclaredPeriod) =>
    withoutKeys(
      fields,
      ...[...fields.entries.keys()].filter(name => name.startsWith('$') || name === 'id')
    )
  return periods.reduce(
    (below, period) => ({
      ...base,
      entries: overlayBlocks(below, fieldsOf(period), wlanField, budget).entries
    }),
    base
  )
}

/** Warns of values of a period that nothing else declares, because no plan changes them back after its end. */
export function checkEnd(
  period: MapNode,
  usual: MapNode,
  above: Pointer,
  { findings }: Pick<Run, 'findings'>
): void {
  for (const [name, entry] of period.entries) {
    if (name.startsWith('$')) continue
    const pointer = child(above, name)
    const declared = usual.entries.get(name)?.value
    if (declared === undefined) findings.push(finding('PERIOD_STAYS', atKey(entry), pointer))
    else if (declared.kind === 'map' && entry.value.kind === 'map' && !isReference(entry.value))
      checkEnd(entry.value, declared, pointer, { findings })
  }
}
