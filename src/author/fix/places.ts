import { above, type Pointer } from '../../core/values/pointer.ts'
import type { Value } from '../../core/values/value.ts'
import { readUnresolved } from '../../fleet/unresolved-fleet.ts'
import { isReference } from '../../fleet/wlans/references.ts'
import { type Entry, memberNode, type SourceFile, textOf } from '../../fleet/yaml/tree.ts'
import {
  type ActivePeriods,
  type EditTarget,
  fieldKey,
  layerName,
  TargetChooser
} from '../adopt/choose.ts'
import type { AdoptableField } from '../adopt/fields.ts'
import {
  type FieldOrigin,
  type FieldReader,
  type IndexedWlan,
  ReferenceIndex,
  variablesIn,
  wholeVariable
} from '../adopt/reference-index.ts'

/** Where a fix in a profile is written: there, or as an override of each site with the finding. */
export type FixLayer = 'profile' | 'site'

/** A value to write, or a declaration to remove. */
export interface WantedEdit {
  readonly address: string
  readonly pointer: Pointer
  /** Undefined removes the declaration. */
  readonly value: Value | undefined
}

/** The places in the files, or the reason why there is none. */
export type PlacedEdit = readonly EditTarget[] | string

const VARIABLE = 'a variable sets it: edit it manually'
const NO_PLACE = 'no place of its own declares it: edit it manually'
const SHARED = 'other WLANs read it from the same place, and the site has no entry for an override'

/** Finds the places that declare values. */
export class FixPlaces {
  readonly #index: ReferenceIndex
  readonly #layer: FixLayer
  readonly #periods: ActivePeriods

  /** `sources`: every file of the fleet, parsed without an error. */
  constructor(sources: readonly SourceFile[], layer: FixLayer, periods: ActivePeriods) {
    this.#index = new ReferenceIndex(readUnresolved(sources))
    this.#layer = layer
    this.#periods = periods
  }

  /** The pointer of the value that declares a field: of a list, for a part of an element. */
  declaredAt({ address, pointer }: Omit<WantedEdit, 'value'>): Pointer {
    const origins = this.#index.wlan(address)?.origins
    return above(pointer).find(at => origins?.get(at)?.entry.value.kind === 'list') ?? pointer
  }

  place(wanted: readonly WantedEdit[]): ReadonlyMap<WantedEdit, PlacedEdit> {
    const sets = wanted.flatMap(edit => (edit.value === undefined ? [] : [this.#fieldOf(edit)]))
    const isShared = this.#layer === 'profile'
    const chooser = new TargetChooser(sets, this.#index, isShared, this.#periods)
    const placed = new Map(
      wanted.map(edit => [edit, edit.value === undefined ? [] : this.#set(edit, chooser)] as const)
    )
    const removed = wanted.filter(({ value }) => value === undefined)
    return new Map([...placed, ...this.#removals(removed)])
  }

  #fieldOf({ address, pointer, value }: WantedEdit): AdoptableField {
    const isAdded = this.#index.wlan(address)?.origins.has(pointer) !== true
    const field = { address, pointer, value: value ?? null, lessSafe: false }
    return isAdded ? { ...field, isAdded } : field
  }

  #set(edit: WantedEdit, chooser: TargetChooser): PlacedEdit {
    const origins = this.#index.wlan(edit.address)?.origins
    const isPart = above(edit.pointer).some(at => origins?.get(at)?.open === false)
    if (isPart) return NO_PLACE
    const origin = origins?.get(edit.pointer)
    if (origin !== undefined && hasVariable(origin.entry)) return VARIABLE
    const target = chooser.choose(this.#fieldOf(edit))
    return 'field' in target ? [target] : target.reason
  }

  /**
   * Removes the entries of all layers. With `--layer site`, an entry that other WLANs share stays, and the override of
   * the site unsets the field.
   */
  #removals(edits: readonly WantedEdit[]): (readonly [WantedEdit, PlacedEdit])[] {
    const found = edits.map(edit => {
      const wlan = this.#index.wlan(edit.address)
      return { edit, wlan, origins: wlan ? this.#index.declarationsOf(wlan, edit.pointer) : [] }
    })
    this.#index.indexReaders(found.flatMap(({ origins }) => origins.map(({ entry }) => entry)))
    const wanted = new Set(edits.map(fieldKey))
    const unset = new Map<IndexedWlan, Pointer[]>()
    // Each WLAN of a profile asks for the same readers.
    const besides = new Map<Entry, readonly FieldReader[]>()
    const placed = found.map(({ edit, wlan, origins }): readonly [WantedEdit, PlacedEdit] => {
      if (wlan === undefined || origins.length === 0) return [edit, NO_PLACE]
      const targets = origins.map(origin => this.#removal(edit, wlan, origin, wanted, besides))
      const shared = targets.some(({ alsoChanged }) => alsoChanged.length > 0)
      const isOfProfile = origins.some(({ layer }) => layer.profile !== undefined)
      if (this.#layer === 'profile' || !(shared || isOfProfile)) return [edit, targets]
      if (this.#index.siteDeclarationOf(wlan) === undefined) return [edit, SHARED]
      unset.set(wlan, [...(unset.get(wlan) ?? []), edit.pointer])
      return [edit, []]
    })
    const overrides = new Map(
      [...unset].map(([wlan, names]) => [wlan.address, unsetting(wlan, names, this.#index)])
    )
    return placed.map(([edit, targets]) => [
      edit,
      targets.length === 0 ? [overrides.get(edit.address) ?? []].flat() : targets
    ])
  }

  #removal(
    { address, pointer }: WantedEdit,
    wlan: IndexedWlan,
    { entry, layer }: FieldOrigin,
    wanted: ReadonlySet<string>,
    besides: Map<Entry, readonly FieldReader[]>
  ): EditTarget {
    const alsoChanged =
      besides.get(entry) ??
      this.#index.readersOf(entry).filter(reader => !wanted.has(fieldKey(reader)))
    besides.set(entry, alsoChanged)
    return {
      field: { address, pointer, value: undefined, lessSafe: false },
      wlan,
      place: entry,
      ...(layer.profile !== undefined && { block: layer.block }),
      layer: layerName(layer, address),
      alsoChanged
    }
  }
}

/** The edit of the override that unsets fields, in addition to those that it unsets already. */
function unsetting(
  wlan: IndexedWlan,
  pointers: readonly Pointer[],
  index: ReferenceIndex
): EditTarget {
  const { address, override } = wlan
  const declared = override?.entries.get('$unset')
  const list = memberNode(override, '$unset')
  const earlier = list?.kind === 'list' ? list.items.map(item => textOf(item) ?? '') : []
  const site = index.siteDeclarationOf(wlan)
  return {
    field: {
      address,
      pointer: '/$unset',
      value: [...earlier, ...pointers.map(unsetName)],
      lessSafe: false
    },
    wlan,
    ...(declared ? { place: declared } : site && { site }),
    layer: `the override of ${address}`,
    alsoChanged: []
  }
}

/** A field of the top level by its name, another one by its pointer. */
function unsetName(pointer: Pointer): string {
  return pointer.lastIndexOf('/') === 0 ? pointer.slice(1) : pointer
}

function hasVariable({ value }: Entry): boolean {
  const isSecret = value.kind === 'map' && isReference(value) && wholeVariable(value) === undefined
  return !isSecret && variablesIn(value).length > 0
}
