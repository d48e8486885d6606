import type { Finding } from '../../core/model/finding.ts'
import type { Change, Plan } from '../../core/model/plan.ts'
import type { Relations } from '../../core/model/relations.ts'
import {
  kindsIn,
  type RelatedKind,
  relationsOf,
  uncheckedParts
} from '../../core/plan/related-wlans.ts'
import { checkOnce, checkSame, type Piece } from './parts.ts'

/** Evaluates the lint rules that compare sites over the WLANs of all parts; returns new and existing findings. */
export type RelationCheck = (
  policy: Pick<Relations, 'levels' | 'strict'>,
  kinds: readonly RelatedKind[],
  changes: readonly Change[]
) => readonly Finding[]

/** Merges the relations of all parts, and evaluates the rules about them. */
export function mergeRelations(
  pieces: readonly Piece<Plan>[],
  changes: readonly Change[],
  check: RelationCheck
): { readonly relations?: Relations; readonly related: readonly Finding[] } {
  const read = pieces.filter(({ value: { summary } }) => summary.sites > summary.sites_failed)
  checkSame(read, 'lint policy', ({ relations }) =>
    relations === undefined ? 'none' : JSON.stringify([relations.levels, relations.strict ?? false])
  )
  const parts = read.flatMap(({ name, value: { relations } }) =>
    relations ? [{ name, relations }] : []
  )
  const [first] = parts
  if (first === undefined) return { related: [] }
  checkOnce(
    parts.map(({ name, relations }) => ({ name, value: relations.sites })),
    sites => sites.map(site => [site, site])
  )
  const kinds = parts.map(({ name, relations }) => kindsIn(relations, name))
  const known = kinds.flatMap(each => each ?? [])
  if (kinds.includes(undefined)) {
    const { wlans: _, ...unlisted } = { ...first.relations, sites: [] }
    return { relations: unlisted, related: uncheckedParts(unlisted) }
  }
  const relations = relationsOf(first.relations, known)
  return { relations, related: check(first.relations, known, changes) }
}

/** The findings of a part without those that compare sites; a run with unread sites has such findings, too. */
export function withoutRelated({ findings, relations }: Plan): readonly Finding[] {
  if (relations === undefined) return findings
  return findings.filter(
    ({ code, rule = '' }) => code !== 'LINT' || !Object.hasOwn(relations.levels, rule)
  )
}
