import type { Source } from '../config/files/source.ts'
import { writtenFleet } from '../config/written.ts'
import type { AdoptedField, Adoption, LeftField } from '../model/adoption.ts'
import { byCodeUnit } from '../model/collections.ts'
import type { PlannedChange } from '../model/plan.ts'
import type { Pointer } from '../model/pointer.ts'
import { applyEdits } from '../model/text.ts'
import type { SecretSource } from '../secrets/source.ts'
import { type Choice, Chooser } from './choose.ts'
import { editsOf } from './edits.ts'
import { adoptableFields } from './fields.ts'
import { ReferenceIndex } from './reference-index.ts'
import { hiddenParts } from './secrets.ts'
import { verifyEdits } from './verify.ts'

/** What is to be adopted. */
export interface Asked {
  /** Changes of a plan on the fleet, with what is live. */
  readonly changes: readonly PlannedChange[]
  /** Every file of the fleet, parsed, and without an error. */
  readonly sources: readonly Source[]
  /** Only these fields, and what is in them; all where there are none. */
  readonly fields: readonly Pointer[]
  /** Write where a field is declared, also where other WLANs read it. */
  readonly shared: boolean
  /** For checking references; none is followed. */
  readonly secrets: SecretSource
}

/**
 * Works out the edits that adopt what is live: which values, where each is written, as few bytes as
 * that takes; and proves on the result that they do it, and nothing else. Writes nothing. Throws a
 * `Failure` if that cannot be proved.
 */
export async function adopt(asked: Asked): Promise<Adoption> {
  const { changes, sources, fields, shared, secrets } = asked
  const { wants, left: secret } = adoptableFields(changes, fields)
  const chooser = new Chooser(wants, new ReferenceIndex(writtenFleet(sources)), shared)
  const chosen = wants.map(want => chooser.choose(want))
  const { edits, written, left: hidden } = editsOf(chosen.filter(isChoice))
  const edited = [...edits].filter(([, { length }]) => length > 0)
  const after = new Map(edited.map(([source, made]) => [source, applyEdits(source.text, made)]))
  const hiddenIn = hiddenParts(sources)
  await verifyEdits({ before: sources, after, choices: written, changes, secrets })
  return {
    files: edited
      .map(([source, made]) => ({
        file: source.file,
        before: source.text,
        edits: made,
        hidden: hiddenIn(source)
      }))
      .sort((a, b) => byCodeUnit(a.file, b.file)),
    adopted: written.map(adoptedField).sort(byField),
    left: [...secret, ...hidden, ...chosen.filter(isLeft)].sort(byField)
  }
}

function isChoice(chosen: Choice | LeftField): chosen is Choice {
  return 'want' in chosen
}

function isLeft(chosen: Choice | LeftField): chosen is LeftField {
  return 'reason' in chosen
}

function adoptedField({ want, layer, touched }: Choice): AdoptedField {
  const { address, pointer, lessSafe } = want
  const others = new Set(touched.map(user => user.address))
  return {
    address,
    pointer,
    layer,
    ...(lessSafe ? { lessSafe } : {}),
    touched: [...others].sort(byCodeUnit)
  }
}

function byField(a: Omit<LeftField, 'reason'>, b: Omit<LeftField, 'reason'>): number {
  return byCodeUnit(a.address, b.address) || byCodeUnit(a.pointer, b.pointer)
}
