import { byCodeUnit } from '../../model/collections.ts'
import type { Wave } from '../../model/desired.ts'
import type { Finding } from '../../model/finding.ts'
import type { Plan, PlanSummary, Since, Unmanaged } from '../../model/plan.ts'
import { digestOf } from '../digest.ts'
import { mergeRollouts } from '../rollout.ts'
import { mergeFindings } from './findings.ts'
import { checkMembers, checkSame, type Piece, stillLeft, unfit } from './parts.ts'

/**
 * The plan of the whole, out of those of its parts: what one run over all of it would have given at the
 * time of the first of them. Throws a `Failure` (exit 3) if they are not the parts of one whole.
 */
export function mergePlans(pieces: readonly Piece<Plan>[]): Plan {
  checkSame(pieces, 'service', plan => plan.base_url)
  checkSame(pieces, 'program', plan => plan.tool)
  checkSame(pieces, 'snapshot', ({ against }) => against?.digest ?? 'none')
  checkSame(pieces, 'evidence of drift', ({ since }) => since?.created ?? 'none')
  checkSame(pieces, 'rollout', ({ rollout }) => JSON.stringify(rollout?.flatMap(nameOf) ?? null))
  pieces.forEach(checkPiece)
  const left = stillLeft(pieces, plan => plan.unread ?? [])
  checkOnce(pieces)
  const plans = pieces.map(({ value }) => value)
  const { format, tool, base_url, against } = plans[0] as Plan
  const changes = plans.flatMap(plan => plan.changes).sort(byAddress)
  const unmanaged = plans.flatMap(plan => plan.unmanaged).sort(bySite)
  const unread = left.map(({ site }) => site)
  const reasonsIn = new Map(pieces.map(piece => [piece, reasonsBySite(piece.value)]))
  const reasons = left.flatMap(({ piece, site }) => reasonsIn.get(piece)?.get(site.name) ?? [])
  const open = plans.flatMap(plan => plan.not_compared).sort(byAddress)
  const rollout = plans[0]?.rollout && mergeRollouts(plans.map(({ rollout = [] }) => rollout))
  return {
    format,
    tool,
    created: plans.map(({ created }) => created).sort(byCodeUnit)[0] ?? '',
    base_url,
    ...(against && { against }),
    ...(plans[0]?.since && { since: sinceOf(plans, plans[0].since) }),
    summary: summaryOf(plans, unread),
    ...(rollout && { rollout }),
    changes,
    not_compared: open,
    unmanaged,
    ...(unread.length === 0 ? {} : { unread }),
    findings: mergeFindings(
      plans.map(({ findings }) => findings),
      reasons
    ),
    digest: digestOf(base_url, changes, { not_compared: open, ...(rollout && { rollout }) })
  }
}

/** The last wave may have no name, and is there only if it has a site. */
function nameOf({ name }: Wave): string[] {
  return name === undefined ? [] : [name]
}

function checkPiece(piece: Piece<Plan>): void {
  const { changes, unread = [], summary } = piece.value
  if (unread.length !== summary.sites_failed) {
    throw unfit(`${piece.name} does not say which sites could not be read`, 'plan again')
  }
  checkMembers(piece, [...changes.map(({ site }) => site), ...unread])
}

/** Throws if two pieces speak of one WLAN. */
function checkOnce(pieces: readonly Piece<Plan>[]): void {
  const seen = new Map<string, string>()
  for (const { name, value } of pieces) {
    for (const { address } of [...value.changes, ...value.not_compared]) {
      const other = seen.get(address)
      if (other !== undefined && other !== name) {
        throw unfit(`${address} is in ${other} and in ${name}`, 'give each part once')
      }
      seen.set(address, name)
    }
  }
}

/** A site that somebody could not read is counted once, however many tried. */
function summaryOf(
  plans: readonly Plan[],
  unread: readonly { readonly wlans: number }[]
): PlanSummary {
  const sum = (count: (plan: Plan) => number) =>
    plans.reduce((total, plan) => total + count(plan), 0)
  const total = (member: keyof PlanSummary) => sum(({ summary }) => summary[member])
  const [changed, unchanged, blocked] = [total('changed'), total('unchanged'), total('blocked')]
  const missing = unread.reduce((total, { wlans }) => total + wlans, 0)
  return {
    sites: sum(({ continues, summary }) => (continues === undefined ? summary.sites : 0)),
    sites_failed: unread.length,
    wlans: changed + unchanged + blocked + missing,
    changed,
    unchanged,
    blocked,
    unmanaged: total('unmanaged'),
    requests: total('requests')
  }
}

function sinceOf(plans: readonly Plan[], { created }: Since): Since {
  const newFields = plans.reduce((sum, { since }) => sum + (since?.new_fields ?? 0), 0)
  return { created, new_fields: newFields }
}

function reasonsBySite({ findings }: Plan): ReadonlyMap<string | undefined, readonly Finding[]> {
  const reasons = new Map<string | undefined, Finding[]>()
  for (const found of findings) {
    if (found.code !== 'SITE_NOT_READ') continue
    const others = reasons.get(found.address)
    if (others === undefined) reasons.set(found.address, [found])
    else others.push(found)
  }
  return reasons
}

function byAddress(a: { readonly address: string }, b: { readonly address: string }): number {
  return byCodeUnit(a.address, b.address)
}

/** Within a site they are in order, and a site is in one piece only. */
function bySite(a: Unmanaged, b: Unmanaged): number {
  return byCodeUnit(a.site, b.site)
}
