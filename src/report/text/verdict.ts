import { isError } from '../../model/finding.ts'
import type { Plan, PlanSummary } from '../../model/plan.ts'
import { plural } from '../../model/text.ts'
import type { PlanReport } from '../report.ts'
import type { Style } from '../style.ts'

type Kind = PlanReport['kind']

/** What a plan comes to, in one line. */
export function verdict(kind: Kind, plan: Plan, style: Style): string {
  const left = leftOut(plan.summary)
  const incomplete = left === undefined ? '' : style.warn(`; incomplete: ${left}`)
  if (plan.summary.changed > 0) return style.strong(differing(kind, plan)) + incomplete
  const good = `${kind === 'drift' ? 'No drift' : 'No changes'}${asDeclared(plan.summary)}`
  const fine = left === undefined && !plan.findings.some(isError)
  return (fine ? style.good : style.warn)(good) + incomplete
}

function asDeclared({ sites, wlans, unchanged }: PlanSummary): string {
  if (sites === 0) return ': this run covers no site'
  if (unchanged < wlans) return ' among the WLANs that could be planned'
  if (wlans === 0) return ': no WLAN is declared'
  return wlans === 1 ? ': the WLAN is as declared' : `: all ${wlans} WLANs are as declared`
}

function differing(kind: Kind, plan: Plan): string {
  const { changed, wlans } = plan.summary
  const harm = hurt(plan)
  if (kind === 'plan') {
    return `Plan: ${plural(changed, 'WLAN')} to change${harm === '' ? '' : ` (${harm})`}`
  }
  const verb = changed === 1 ? 'differs' : 'differ'
  const drift = `Drift: ${changed} of ${plural(wlans, 'WLAN')} ${verb} from the declaration`
  return `${drift}${harm === '' ? '' : ` (to mend: ${harm})`}`
}

/** How many changes hurt somebody, e.g. `1 downgrade, 1 outage, 2 reconnects`. */
function hurt({ changes }: Plan): string {
  const harms = changes.flatMap(({ downgrades, impact }) => [downgrades && 'downgrade', impact])
  const parts = ['downgrade', 'outage', 'reconnect'].flatMap(harm => {
    const n = harms.filter(each => each === harm).length
    return n === 0 ? [] : [plural(n, harm)]
  })
  return parts.join(', ')
}

/** What a plan could not say anything of, in words; undefined where there is nothing of the kind. */
export function leftOut({ blocked, sites_failed }: PlanSummary): string | undefined {
  const parts = [
    ...(blocked > 0 ? [`${plural(blocked, 'WLAN')} blocked`] : []),
    ...(sites_failed > 0 ? [`${plural(sites_failed, 'site')} not read`] : [])
  ]
  return parts.length === 0 ? undefined : parts.join(', ')
}

/** The sums, which always add up. */
export function accounts(summary: PlanSummary): string {
  const { sites, sites_failed, wlans, changed, unchanged, blocked, unmanaged, requests } = summary
  const unread = wlans - changed - unchanged - blocked
  const parts = [
    `${changed} changed`,
    `${unchanged} unchanged`,
    `${blocked} blocked`,
    ...(unread > 0 ? [`${unread} not read`] : [])
  ]
  const failed = sites_failed > 0 ? ` (${sites_failed} not read)` : ''
  const covered = `${plural(wlans, 'WLAN')} on ${plural(sites, 'site')}${failed}`
  return `${covered}: ${parts.join(', ')}; ${unmanaged} unmanaged; ${plural(requests, 'request')}`
}
