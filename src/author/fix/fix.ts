import type { Desired } from '../../core/model/desired.ts'
import { exit, Failure } from '../../core/model/failure.ts'
import { type Finding, isError } from '../../core/model/finding.ts'
import type { Fix, FixResult, LeftFinding } from '../../core/model/fix.ts'
import { impacts } from '../../core/model/impact.ts'
import { byCodeUnit, compact, groupBy, sortBy } from '../../core/values/collections.ts'
import { isAtOrBelow, overlap, type Pointer, steps } from '../../core/values/pointer.ts'
import { applyEdits, formatLocation, sortedEdits, type TextEdit } from '../../core/values/text.ts'
import { editAt, type Value, valueAt } from '../../core/values/value.ts'
import { loadTexts } from '../../fleet/load.ts'
import type { SecretSource } from '../../fleet/secrets/source.ts'
import type { Node, SourceFile } from '../../fleet/yaml/tree.ts'
import { activePeriods } from '../adopt/adopt.ts'
import { type EditTarget, fieldKey } from '../adopt/choose.ts'
import { makeEdits } from '../adopt/file-edits.ts'
import { editedFiles } from '../adopt/hidden-parts.ts'
import { type UnsafeEffect, unsafeEffects } from './effects.ts'
import { removableItem } from './file-fixes.ts'
import { type FixableFinding, fixableFindings, type LiveOf } from './findings.ts'
import { type FixLayer, FixPlaces, type PlacedEdit, type WantedEdit } from './places.ts'

export interface FixRequest {
  /** Every file of the fleet, parsed without an error. */
  readonly sources: readonly SourceFile[]
  /** True for the address of a WLAN whose findings are fixed. */
  readonly isSelected: (address: string) => boolean
  /** The rules whose findings are fixed; empty for those that the policy lists. */
  readonly rules: readonly string[]
  readonly layer: FixLayer
  /** Makes the fixes that are not safe, too. */
  readonly unsafe: boolean
  readonly liveOf: LiveOf
  /** Checks references without resolving them. */
  readonly secrets: SecretSource
  /** The time of the run. */
  readonly now: Date
}

/** A finding, the values that resolve it, and their places. */
interface MadeFix {
  readonly key: string
  readonly finding: FixableFinding
  readonly wanted: readonly WantedEdit[]
  /** The item of a list to remove, for a finding about the files. */
  readonly item?: Node
}

interface EditedFleet {
  readonly desired: Desired
  readonly fixes: readonly MadeFix[]
  readonly targetsOf: (fix: MadeFix) => readonly EditTarget[]
  readonly edits: ReadonlyMap<SourceFile, readonly TextEdit[]>
}

/** A fix can bring up the finding of another rule, or change the value that another one edits: that is for the next round. */
const MAX_ROUNDS = 5

/** A fix that leaves its finding, or an invalid fleet, is dropped, and the others are tried again. */
const MAX_TRIES = 20

/** The times that the fleet is loaded to find the fixes that make it invalid. */
const MAX_LOADS = 40

const STAYS =
  'the finding would stay: the live network has the value, or another fix changes it back'

/**
 * Computes the smallest edits that resolve findings of the linter, and verifies them: the edited files load, the findings
 * are gone, and no fix but those that `unsafe` allows changes a network or leaves less of it watched. Writes nothing.
 */
export async function fixFleet(request: FixRequest): Promise<FixResult> {
  const before = await load(request, new Map())
  if (typeof before === 'string') throw new Failure(exit.failed, `the fleet is invalid: ${before}`)
  const fixer = new Fixer(request, before)
  for (let tried = 0; tried < MAX_TRIES; tried += 1) {
    const edited = await fixer.edit()
    if (edited === undefined) continue
    const effects = unsafeEffects(before, edited.desired, request.liveOf, request.now)
    const unsafe = unsafeOf(edited, effects, before)
    if (request.unsafe || unsafe.size === 0) return fixer.result(edited, unsafe)
    for (const [{ key, finding }, { reason, impact }] of unsafe) {
      const { rule, address } = finding
      fixer.left.set(key, { rule, address, reason, unsafe: true, ...compact({ impact }) })
    }
  }
  throw new Failure(
    exit.failed,
    'the fixes contradict each other; nothing was written',
    'fix one rule at a time with --rule'
  )
}

class Fixer {
  /** The fixes that are not made, by key. */
  readonly left = new Map<string, LeftFinding>()
  readonly #request: FixRequest
  readonly #before: Desired
  readonly #places: FixPlaces
  readonly #ofFiles: readonly MadeFix[]

  constructor(request: FixRequest, before: Desired) {
    this.#request = request
    this.#before = before
    const wlans = before.sites.flatMap(site => site.wlans)
    const periods = activePeriods(
      wlans.map(desired => ({ address: desired.address, desired })),
      request.now
    )
    this.#places = new FixPlaces(request.sources, request.layer, periods)
    this.#ofFiles = wlans.every(({ address }) => request.isSelected(address))
      ? fileFixes(before.findings, request)
      : []
  }

  /** The fleet with all fixes but those in `left`; undefined after a fix was added to `left`, to try again. */
  async edit(): Promise<EditedFleet | undefined> {
    let edited: EditedFleet = {
      desired: this.#before,
      fixes: [],
      targetsOf: () => [],
      edits: new Map()
    }
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const ofFiles = round === 0 ? this.#ofFiles.filter(({ key }) => !this.left.has(key)) : []
      const found = [...ofFiles, ...this.#fixesIn(edited.desired)]
      const known = new Set(edited.fixes.map(({ key }) => key))
      const fresh = withoutConflicts(found.filter(({ key }) => !known.has(key)))
      if (fresh.length === 0) {
        const staying = found.filter(({ key }) => known.has(key))
        for (const fix of staying) this.#leave(fix, STAYS)
        return staying.length === 0 ? edited : undefined
      }
      const next = await this.#edited([...edited.fixes, ...fresh])
      if (next === undefined) return undefined
      edited = next
    }
    for (const fix of this.#fixesIn(edited.desired)) this.#leave(fix, STAYS)
    return undefined
  }

  /** The fixes that are made, and those that are left. */
  result(edited: EditedFleet, unsafe: ReadonlyMap<MadeFix, UnsafeEffect>): FixResult {
    const parts = edited.fixes.map(fix => ({
      fix,
      targets: edited.targetsOf(fix),
      unsafe: unsafe.get(fix)
    }))
    const groups = groupBy(parts, ({ fix, targets, unsafe: effect }) => {
      const { rule } = fix.finding
      const edits = fix.wanted.map(({ pointer, value }) => [pointer, value ?? null])
      const layers = targets.map(({ place, layer }) => (place === undefined ? '' : layer))
      return JSON.stringify([rule, edits, layers, effect?.reason])
    })
    return {
      files: editedFiles(edited.edits, this.#request.sources),
      fixes: [...groups.values()].map(fixOf),
      left: sortBy(
        [...this.left.values()],
        ({ rule }) => rule,
        ({ address }) => address
      )
    }
  }

  #leave({ key, finding }: MadeFix, reason: string): void {
    const { rule, address } = finding
    this.left.set(key, { rule, address, reason })
  }

  #fixesIn(desired: Desired): MadeFix[] {
    const { liveOf, rules, isSelected } = this.#request
    const wlans = new Map(
      desired.sites.flatMap(({ wlans }) => wlans.map(wlan => [wlan.address, wlan]))
    )
    const lists = new Map<string, Value>()
    return fixableFindings(desired, liveOf, rules).flatMap(finding => {
      const { rule, address, edits } = finding
      const fields = wlans.get(address)?.fields ?? {}
      const key = JSON.stringify([rule, address, Object.keys(edits)])
      if (!isSelected(address) || this.left.has(key)) return []
      const wanted = Object.entries(edits).flatMap(([pointer, value]): WantedEdit[] => {
        const at = this.#places.declaredAt({ address, pointer })
        const isRemoval = value === undefined
        if (isRemoval && valueAt(fields, pointer) === undefined) return []
        if (at === pointer) return [{ address, pointer, value }]
        // Several findings may be about one list.
        const list = lists.get(`${address} ${at}`) ?? valueAt(fields, at) ?? null
        const edited = editAt(list, steps(pointer.slice(at.length)), () => value) ?? null
        lists.set(`${address} ${at}`, edited)
        return [{ address, pointer: at, value: edited }]
      })
      return wanted.length === 0 ? [] : [{ key, finding, wanted }]
    })
  }

  async #edited(fixes: readonly MadeFix[]): Promise<EditedFleet | undefined> {
    // Of two values for a field, the later one counts.
    const byField = new Map<string, WantedEdit>()
    for (const { wanted } of fixes) for (const edit of wanted) byField.set(fieldKey(edit), edit)
    const placed = this.#places.place([...byField.values()])
    const placeOf = (edit: WantedEdit): PlacedEdit => {
      const winner = byField.get(fieldKey(edit))
      return (winner && placed.get(winner)) ?? []
    }
    const unplaced = fixes.flatMap(fix => {
      const reason = fix.wanted.map(placeOf).find(place => typeof place === 'string')
      return typeof reason === 'string' ? [{ fix, reason }] : []
    })
    for (const { fix, reason } of unplaced) this.#leave(fix, reason)
    if (unplaced.length > 0) return undefined
    const targetsOf = (fix: MadeFix) =>
      fix.wanted.flatMap(edit => {
        const place = placeOf(edit)
        return typeof place === 'string' ? [] : place
      })
    const items = fixes.flatMap(({ item }) => item ?? [])
    const { edits, left } = makeEdits([...new Set(fixes.flatMap(targetsOf))], items)
    const behind = new Map(left.map(field => [fieldKey(field), field.reason]))
    const hidden = fixes.filter(fix =>
      targetsOf(fix).some(({ field }) => behind.has(fieldKey(field)))
    )
    for (const fix of hidden) this.#leave(fix, [...behind.values()][0] ?? STAYS)
    if (hidden.length > 0) return undefined
    const desired = await load(this.#request, edits)
    if (typeof desired !== 'string') return { desired, fixes, targetsOf, edits }
    await this.#leaveInvalid(fixes, targetsOf, desired)
    return undefined
  }

  /** Leaves the fixes that make the fleet invalid together with the others. */
  async #leaveInvalid(
    fixes: readonly MadeFix[],
    targetsOf: EditedFleet['targetsOf'],
    reason: string
  ): Promise<void> {
    const isValid = async (some: readonly MadeFix[]) => {
      const items = some.flatMap(({ item }) => item ?? [])
      const { edits } = makeEdits([...new Set(some.flatMap(targetsOf))], items)
      return typeof (await load(this.#request, edits)) !== 'string'
    }
    const valid: MadeFix[] = []
    const invalid: MadeFix[] = []
    let tries = 0
    const split = async (some: readonly MadeFix[]): Promise<void> => {
      tries += 1
      if (tries <= MAX_LOADS && (await isValid([...valid, ...some]))) valid.push(...some)
      else if (tries > MAX_LOADS || some.length < 2) invalid.push(...some)
      else {
        const half = some.length >> 1
        await split(some.slice(0, half))
        await split(some.slice(half))
      }
    }
    await split(fixes)
    // The value with an anchor can go once its aliases do.
    for (const fix of invalid.splice(0)) await split([fix])
    for (const fix of invalid.length > 0 ? invalid : fixes)
      this.#leave(fix, `the files would be invalid: ${reason}`)
  }
}

/** The fleet with edited texts, or the reason why it is invalid. */
async function load(
  { sources, secrets, now }: FixRequest,
  edits: ReadonlyMap<SourceFile, readonly TextEdit[]>
): Promise<Desired | string> {
  const texts: [string, string][] = []
  for (const source of sources) {
    const own = edits.get(source) ?? []
    if (overlaps(own)) return 'two edits overlap'
    texts.push([source.inFleet, applyEdits(source.text, own)])
  }
  const { desired, findings } = await loadTexts(new Map(texts), secrets, now)
  return desired ?? findings.find(isError)?.message ?? 'it has errors'
}

function overlaps(edits: readonly TextEdit[]): boolean {
  let end = 0
  return sortedEdits(edits).some(edit => {
    const isBefore = edit.start < end
    end = edit.end
    return isBefore
  })
}

/** For a WLAN that the fleet declares and no run compares. */
const EXCLUDED: UnsafeEffect = {
  pointers: [''],
  reason: 'a site that the policy excludes reads it from the same place'
}

/** The fixes that are not safe: their fields, or unexplained ones, differ at a WLAN that they reach. */
function unsafeOf(
  { fixes, targetsOf }: EditedFleet,
  effects: ReadonlyMap<string, UnsafeEffect>,
  { sites }: Desired
): ReadonlyMap<MadeFix, UnsafeEffect> {
  const compared = new Set(sites.flatMap(({ wlans }) => wlans.map(({ address }) => address)))
  const reached = fixes.flatMap(fix =>
    targetsOf(fix).flatMap(({ field, alsoChanged }) =>
      [field, ...alsoChanged].map(({ address }) => ({ fix, address }))
    )
  )
  const found = new Map<MadeFix, UnsafeEffect>()
  for (const [address, ofAddress] of groupBy(reached, each => each.address)) {
    const effect = compared.has(address) ? effects.get(address) : EXCLUDED
    if (effect === undefined) continue
    const about = ofAddress.filter(({ fix }) =>
      fix.wanted.some(({ pointer }) => effect.pointers.some(at => overlap(at, pointer)))
    )
    for (const { fix } of about.length > 0 ? about : ofAddress) {
      const known = found.get(fix)
      found.set(fix, known === undefined ? effect : worse(known, effect))
    }
  }
  const reachable = new Set(reached.map(({ address }) => address))
  const [unreached] = [...effects].filter(([address]) => !reachable.has(address))
  if (unreached !== undefined) {
    for (const fix of fixes) if (fix.item !== undefined) found.set(fix, unreached[1])
  }
  return found
}

/** The fixes of findings about the files. */
function fileFixes(findings: readonly Finding[], { sources, rules }: FixRequest): MadeFix[] {
  return findings.flatMap(found => {
    const { code, level } = found
    const item =
      rules.length === 0 || rules.includes(code) ? removableItem(found, sources) : undefined
    if (item === undefined) return []
    const address = formatLocation(item.source.place(item.offset))
    const finding = { rule: code, level, address, edits: {} }
    return [{ key: JSON.stringify([code, address]), finding, wanted: [], item }]
  })
}

function worse(a: UnsafeEffect, b: UnsafeEffect): UnsafeEffect {
  const rank = ({ impact }: UnsafeEffect) => impacts.indexOf(impact ?? 'none')
  return rank(b) > rank(a) ? b : a
}

function fixOf(
  parts: readonly {
    readonly fix: MadeFix
    readonly targets: readonly EditTarget[]
    readonly unsafe: UnsafeEffect | undefined
  }[]
): Fix {
  const [first] = parts
  if (first === undefined) throw new Error('a group has a member')
  const { rule, level } = first.fix.finding
  const ofFile = parts.flatMap(({ fix }) => (fix.item === undefined ? [] : fix.finding.address))
  const addresses = new Set(
    parts.flatMap(({ fix }) => (fix.item === undefined ? fix.finding.address : []))
  )
  const targets = parts.flatMap(part => part.targets)
  const touched = targets
    .flatMap(({ alsoChanged }) => alsoChanged.map(({ address }) => address))
    .filter(address => !addresses.has(address))
  const effects = parts.flatMap(({ unsafe }) => unsafe ?? [])
  const worst = effects.length === 0 ? undefined : effects.reduce(worse)
  return {
    rule,
    level,
    edits: first.fix.wanted.map(({ pointer, value }) => ({ pointer, value })),
    layers: [...new Set([...targets.map(({ layer }) => layer), ...ofFile])].sort(byCodeUnit),
    addresses: [...addresses].sort(byCodeUnit),
    touched: [...new Set(touched)].sort(byCodeUnit),
    safe: worst === undefined,
    ...compact({ reason: worst?.reason, impact: worst?.impact })
  }
}

/** Of fixes that edit the same field of a WLAN, the first one, unless they are the same edit. */
function withoutConflicts(fixes: readonly MadeFix[]): MadeFix[] {
  const claimed = new Map<string, { readonly at: Pointer; readonly text: string }[]>()
  return fixes.filter(({ finding: { address, edits }, wanted }) => {
    const claims = Object.entries(edits).map(([pointer, value]) => {
      // Without an element, the others of its list have other indexes.
      const list = wanted.find(each => isAtOrBelow(pointer, each.pointer))?.pointer
      const at = value === undefined ? (list ?? pointer) : pointer
      return { at, text: JSON.stringify([pointer, value ?? null]) }
    })
    const earlier = claimed.get(address) ?? []
    const isFree = claims.every(claim =>
      earlier.every(other => claim.text === other.text || !overlap(claim.at, other.at))
    )
    if (isFree) claimed.set(address, [...earlier, ...claims])
    return isFree
  })
}
