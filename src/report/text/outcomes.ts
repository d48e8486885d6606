import { formatNumber, plural } from '../../core/values/text.ts'
import { escapeInside, escapeText } from '../escape.ts'
import { groupFindings } from '../group-findings.ts'
import { columnsOfText, columnWidth, padTo } from '../layout.ts'
import type { ChangeGroup, Overview } from '../overview/overview.ts'
import { statusOfState } from '../overview/states.ts'
import type { Terminal } from '../render/terminal.ts'

/** The column of the address, and the indent of what stands below it. */
const COLUMN = 11
const INDENT = ' '.repeat(COLUMN + 2)

/** Fewer equal outcomes are listed one by one, which makes them easier to find. */
const MIN_GROUP = 3

/** Longer lists of sites are truncated; lists of successful changes are shorter. */
const MAX_SITES = 100
const MAX_APPLIED = 3

/**
 * The outcomes, the worst first, and the equal ones of a network as one, whatever was changed. `verbose` lists each
 * change on its own.
 *
 *     diverged   hq/guest  accepted, but reading it back shows other values
 *                  vlan_id: before 20, wanted 40, found 20
 *     applied    corp on 37 sites: store-001, store-002, store-003 and 34 more
 */
export function outcomeLines(
  { changes }: Overview,
  terminal: Terminal,
  verbose: boolean
): string[] {
  const merged = groupFindings(changes, ({ state, key, results }) =>
    JSON.stringify([state, key, results])
  ).flatMap((same): ChangeGroup[] => {
    const [first] = same
    const networks = same.flatMap(each => each.networks)
    return verbose || networks.length < MIN_GROUP
      ? networks.map(network => ({ ...first, networks: [network] }))
      : [{ ...first, networks }]
  })
  const single = merged.filter(({ networks }) => networks.length === 1)
  const width = columnWidth(single.map(({ networks }) => escapeText(networks[0]?.address ?? '')))
  return merged.flatMap(group => groupLines(group, width, terminal))
}

function groupLines(group: ChangeGroup, width: number, terminal: Terminal): string[] {
  const { state, key, networks, results = [] } = group
  const status = statusOfState(state)
  const colour = terminal.tone(
    state === 'applied' || state === 'as-declared'
      ? 'good'
      : state === 'unknown' || state === 'diverged' || state === 'failed'
        ? 'bad'
        : 'warn'
  )
  const head = `${colour(padTo(status, COLUMN - 2))}  `
  const [reason, ...others] = results.map(line => terminal.inline(line))
  const below = (lines: readonly (string | undefined)[]) =>
    lines.flatMap(line => (line === undefined ? [] : terminal.wrapped(line, INDENT, `${INDENT}  `)))
  if (networks.length > 1) {
    const isDone = state === 'applied' || state === 'as-declared'
    const most = isDone ? MAX_APPLIED : MAX_SITES
    const sites = networks.map(({ site }) => escapeInside(site))
    const rest = sites.length - most
    const list =
      sites.slice(0, most).join(', ') + (rest > 0 ? ` and ${formatNumber(rest)} more` : '')
    const where = `${escapeText(key)} on ${plural(networks.length, 'site')}: ${list}`
    return [...terminal.wrapped(where, head, INDENT), ...below([reason, ...others])]
  }
  const address = escapeText(networks[0]?.address ?? '')
  const line = `${head}${padTo(address, width)}  ${reason ?? ''}`.trimEnd()
  return columnsOfText(line) <= terminal.width
    ? [line, ...below(others)]
    : [head + address, ...below([reason, ...others])]
}
