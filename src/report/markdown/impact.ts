import type { Change, Plan } from '../../model/plan.ts'
import { plural } from '../../model/text.ts'
import { whereaboutsOf } from '../group-findings.ts'
import type { PlanReport } from '../report.ts'
import type { Severity } from '../severity.ts'
import { leftOut } from '../text/verdict.ts'
import { few, thousands } from '../words.ts'
import { alert, type Loudness } from './alert.ts'
import { type Group, groupsOf } from './changes.ts'
import { code, fieldCode } from './code.ts'

/** An alert names so many. */
const NAMED = 5

/** What a reader must not miss, and how loudly it is said. */
type Harm = readonly [Severity, Loudness, noun: string, says: string]

const harms: readonly Harm[] = [
  ['downgrade', 'CAUTION', 'security downgrade', 'the network gets less safe'],
  ['outage', 'WARNING', 'outage', 'clients lose this network'],
  ['reconnect', 'NOTE', 'reconnect', 'clients are dropped and come back']
]

/** What the changes do to safety and to the people on the air, worst first, then what is missing. */
export function impactAlerts(kind: PlanReport['kind'], plan: Plan): string[] {
  const groups = groupsOf(plan.changes)
  const harmed = harms.flatMap(harm => harmOf(groups, harm, kind === 'drift'))
  const lines = harmed.map(({ line }) => line)
  return [
    ...(harmed.length === 0 ? [] : [alert(harmed[0]?.loudness ?? 'NOTE', lines.join('<br>'))]),
    ...incomplete(plan)
  ]
}

function harmOf(groups: readonly Group[], [concern, loudness, noun, says]: Harm, isDrift: boolean) {
  const hurt = groups.filter(({ changes: [change] }) => does(change, concern))
  if (hurt.length === 0) return []
  const n = hurt.reduce((sum, { changes }) => sum + changes.length, 0)
  const what = `**${thousands(plural(n, noun))}**${isDrift ? ' to mend it' : ''}`
  const named = few(
    hurt.map(group => nameOf(group, concern)),
    NAMED
  )
  return [{ loudness, line: `${what}: ${says}: ${named}` }]
}

/** A downgrade may be an outage or a reconnect as well, and counts as both. */
function does({ downgrades, impact }: Change, concern: Severity): boolean {
  return concern === 'downgrade' ? downgrades !== undefined : impact === concern
}

/** A change by its address, equal ones by how many sites they are on; with what gets less safe. */
function nameOf({ changes }: Group, concern: Severity): string {
  const [change] = changes
  const { key } = whereaboutsOf(change)
  const where =
    changes.length === 1
      ? code(change.address)
      : `${code(key)} on ${thousands(plural(changes.length, 'site'))}`
  const fields = concern === 'downgrade' ? (change.downgrades ?? []).map(fieldCode) : []
  return fields.length === 0 ? where : `${where} (${few(fields, 3)})`
}

function incomplete({ summary }: Plan): string[] {
  const left = leftOut(summary)
  if (left === undefined) return []
  const what = `**Incomplete**: ${thousands(left)}.`
  return [alert('IMPORTANT', `${what} The findings say why; nothing is known of these.`)]
}
