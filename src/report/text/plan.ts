import type { Finding } from '../../core/model/finding.ts'
import { groupBy } from '../../core/values/collections.ts'
import { capitalised } from '../../core/values/text.ts'
import type { ChangeKind } from '../effects.ts'
import { escapeInside, escapeText } from '../escape.ts'
import { joinBlocks } from '../layout.ts'
import { findingTitle } from '../overview/findings.ts'
import { type NetworkState, networkStates, type Overview } from '../overview/overview.ts'
import { overviewOf } from '../overview/overview-of.ts'
import { stateLabel } from '../overview/states.ts'
import type { Tone } from '../render/document.ts'
import { Terminal } from '../render/terminal.ts'
import type { PlanReport, RenderOptions } from '../report.ts'
import { refusalGroups, splitFindings } from '../verdict.ts'
import { changeLines } from './changes.ts'
import { findingBlocks, lintedBlocks } from './findings.ts'

/** What the networks of a state do, for the heading of their changes. */
const meanings: Readonly<
  Partial<Record<NetworkState, Readonly<Partial<Record<ChangeKind, string>>>>>
> = {
  off: {
    drift: 'no access point sends the network',
    plan: 'switches the network off',
    diff: 'switched the network off'
  },
  'partly-off': { drift: 'some access points, bands or times lack the network' },
  open: { drift: 'anybody gets in', plan: 'lets anybody in', diff: 'let anybody in' },
  'less-secure': {
    drift: 'weaker encryption, or clients that reach each other',
    plan: 'lowers the security of the network',
    diff: 'lowered the security of the network'
  },
  wrong: { drift: 'another name, network, key or server than declared' },
  skipped: { plan: 'the network is protected' },
  refused: { plan: '`apply` would refuse it' },
  waiting: { plan: 'waits for a window or the end of a freeze' }
}

const tones: Readonly<Partial<Record<NetworkState, Tone>>> = {
  off: 'bad',
  'partly-off': 'bad',
  open: 'bad',
  'less-secure': 'bad',
  wrong: 'warn',
  skipped: 'warn',
  refused: 'bad',
  waiting: 'warn'
}

/** The heading of the changes of a state: `Off: no access point sends the network; live → declared (3)`. */
export function stateHeading(kind: ChangeKind, state: NetworkState) {
  const meaning = meanings[state]?.[kind]
  const label =
    state === 'differs'
      ? { drift: 'other differences', plan: 'changes', diff: 'other changes' }[kind]
      : stateLabel(kind, state)
  const title = meaning === undefined ? capitalised(label) : `${capitalised(label)}: ${meaning}`
  return {
    title: kind === 'drift' ? `${title}; live → declared` : title,
    tone: tones[state] ?? ('note' as const)
  }
}

/**
 * A plan as text: the changes by state, the worst first; all else that it says; refusals; the totals; and at the end what
 * it means, and the verdict.
 */
export function planText(report: PlanReport, options: RenderOptions): string {
  const { kind, plan, command, isPreview } = report
  const terminal = new Terminal(options)
  const { style } = terminal
  const overview = overviewOf(report, options)
  const { weakened, dangers, others } = splitFindings(plan, command)
  const blocks = (found: readonly Finding[]) => findingBlocks(found, options, style)
  const linted = lintedBlocks(
    { ...report, findings: [...dangers, ...others], refusals: plan.refusals },
    options,
    style
  )
  const isShown = !isPreview || plan.changes.length > 0
  return joinBlocks([
    weakened.length === 0
      ? []
      : [
          ...terminal.heading({
            title: findingTitle('weakened'),
            count: weakened.length,
            tone: 'bad'
          }),
          ...blocks(weakened)
        ],
    ...overview.sections.filter(({ leads }) => leads).map(section => terminal.section(section)),
    ...stateSections(kind, overview, terminal, {
      verbose: options.verbose ?? false,
      ...(kind === 'drift' && { asOf: plan.created })
    }),
    ...overview.sections
      .filter(({ isDetail, leads }) => !leads && (!isDetail || options.verbose))
      .map(section => terminal.section(section)),
    linted,
    ...refusalGroups(plan).map(({ status, findings }) => [
      ...terminal.heading({
        title: findingTitle(status, command),
        count: findings.length,
        tone: status === 'refused' ? 'bad' : 'warn'
      }),
      ...blocks(findings)
    ]),
    [
      ...footLines(overview, terminal),
      ...(plan.changes.length === 0 ? [] : [style.faint(`digest ${escapeInside(plan.digest)}`)]),
      ...(isShown ? verdictLines(overview, terminal) : [])
    ]
  ])
}

/** The changes of each state under its heading, and the networks that are missing. */
export function stateSections(
  kind: ChangeKind,
  { changes, sites }: Overview,
  terminal: Terminal,
  details: Parameters<typeof changeLines>[2]
): string[][] {
  const byState = groupBy(changes, ({ state }) => state)
  const missing = sites.flatMap(({ networks }) =>
    networks.filter(({ state, change }) => state in meanings && change === undefined)
  )
  const states = networkStates.filter(
    state => byState.has(state) || missing.some(row => row.state === state)
  )
  return states.map(state => {
    const groups = byState.get(state) ?? []
    const lost = missing.filter(row => row.state === state)
    const count = groups.reduce((sum, { networks }) => sum + networks.length, lost.length)
    return [
      ...terminal.heading({ ...stateHeading(kind, state), count }),
      ...groups.flatMap(group => changeLines(group, terminal, details)),
      ...lost.flatMap(({ address, reason = '' }) =>
        terminal.wrapped(
          `${terminal.style.strong(escapeText(address))}  ${escapeInside(reason)}`,
          '  ',
          '      '
        )
      )
    ]
  })
}

/** The counts, and what the run did not look at. */
export function footLines({ totals, coverage }: Overview, terminal: Terminal): string[] {
  return [
    ...(totals === undefined ? [] : terminal.wrapped(terminal.style.faint(escapeInside(totals)))),
    ...coverage.flatMap(sentence => terminal.lines(sentence).map(terminal.style.warn))
  ]
}

/** The headline, unless the verdict says the same, and the verdict. */
export function verdictLines(
  { headline, verdict, tone, states }: Overview,
  terminal: Terminal
): string[] {
  const { style } = terminal
  const isSevere = states.some(({ state }) => state in meanings)
  const [first] = verdict
  const isPlain = verdict.length === 1 && typeof first === 'object' && first.kind === 'strong'
  const text =
    isPlain && tone === 'good' ? style.good(terminal.inline(first.text)) : terminal.inline(verdict)
  return [
    ...(isSevere
      ? terminal.lines(headline).map(line => terminal.tone(tone)(style.strong(line)))
      : []),
    ...terminal.wrapped(text)
  ]
}
