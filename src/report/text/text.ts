import { compact, groupBy, present } from '../../core/values/collections.ts'
import { capitalised } from '../../core/values/text.ts'
import { escapeInside, escapeLines, escapeText } from '../escape.ts'
import { joinBlocks } from '../layout.ts'
import { countLines, countOf, findingTitle, listedFindings } from '../overview/findings.ts'
import { type NetworkState, networkStates } from '../overview/network-states.ts'
import { outcomeTable } from '../overview/outcomes.ts'
import { alarmsOf, type FindingStatus, type Overview, verdictLine } from '../overview/overview.ts'
import { overviewOf } from '../overview/overview-of.ts'
import { stateLabel, stateTones } from '../overview/states.ts'
import { Terminal } from '../render/terminal.ts'
import type { RenderOptions, Report } from '../report.ts'
import type { ChangeKind } from '../wording/effects.ts'
import { changeLines } from './changes.ts'
import { findingLines } from './findings.ts'

export function renderText(report: Report, options: RenderOptions): string {
  return overviewText(overviewOf(report, options, true), options)
}

/** The sections of an overview, its findings, and at the end what it means, and the verdict. */
export function overviewText(overview: Overview, options: RenderOptions): string {
  const { kind, isRun } = overview
  const { sections, outcomes, findings, refusals, foot, verdict } = partsOf(
    overview,
    options,
    options.verbose ?? false
  )
  const end = [...foot, ...verdict]
  if (kind === 'findings') {
    const blocks = sections.length === 0 ? [[...findings, ...end]] : [findings, ...sections, end]
    return escapeLines(joinBlocks(blocks))
  }
  // The findings of a run were shown with its plan.
  const shown = isRun ? [] : findings
  return escapeLines(joinBlocks([...sections, outcomes, shown, ...refusals, end]))
}

/** What a state means, for the heading of its networks: now in a drift report, otherwise after the change. */
const meanings: Readonly<Partial<Record<NetworkState, string>>> = {
  open: 'anybody gets in',
  off: 'no access point sends the network',
  'cut-off': 'clients do not get in, or not at some access points, bands or times',
  'less-secure': 'weaker encryption, or clients that reach each other',
  wrong: 'another network or server, or clients kept out',
  skipped: 'the network is protected',
  refused: '`apply` would refuse it',
  waiting: 'waits for a window or the end of a freeze'
}

/** The heading of the changes of a state: `Off: no access point sends the network; live → declared (3)`. */
function stateHeading(kind: ChangeKind, state: NetworkState) {
  const meaning = meanings[state]
  const label =
    state === 'differs'
      ? { drift: 'other differences', plan: 'changes', diff: 'other changes' }[kind]
      : stateLabel(kind, state)
  const title = meaning === undefined ? capitalised(label) : `${capitalised(label)}: ${meaning}`
  return { title: kind === 'drift' ? `${title}; live → declared` : title, tone: stateTones[state] }
}

/** The parts of a text or a log, in their order; each section begins with its heading. */
interface Parts {
  /** What the files stop enforcing, the changes by state, the worst first, and all else that the result says. */
  readonly sections: readonly (readonly string[])[]
  readonly outcomes: readonly string[]
  readonly findings: readonly string[]
  readonly refusals: readonly (readonly string[])[]
  /** The counts, and what the run did not look at. */
  readonly foot: readonly string[]
  /** What it means, and the verdict. */
  readonly verdict: readonly string[]
}

/** The parts of an overview for a terminal or a log; `isWhole` adds what is listed on request only. */
export function partsOf(overview: Overview, options: RenderOptions, isWhole: boolean): Parts {
  const terminal = new Terminal(options)
  const { style } = terminal
  const { kind, isRun = false, sections, changes, totals, coverage, failedWave, digest } = overview
  const { verbose = false } = options
  // A terminal is read from its end: the latest run comes last.
  const ordered = kind === 'record' ? sections.toReversed() : sections
  const shown = ordered.filter(({ isDetail }) => !isDetail || isWhole)
  const hidden = sections.flatMap(section =>
    shown.includes(section) ? [] : (section.whenHidden ?? [])
  )
  const listed = (status: FindingStatus) => findingSection(overview, status, terminal, options)
  return {
    sections: [
      ...(isRun ? [] : stateSections(overview, terminal, isWhole)),
      ...shown.map(section => terminal.section(section))
    ],
    outcomes: isRun && kind !== 'record' ? terminal.table(outcomeTable(changes, verbose), '') : [],
    findings: [
      ...findingLines(listedFindings(overview, verbose), terminal, options),
      ...countLines(overview, verbose).flatMap(line => terminal.wrapped(style.faint(line)))
    ],
    refusals: [...listed('refused'), ...listed('left-out'), ...listed('needed')],
    foot: [
      ...hidden.map(style.faint),
      ...present(totals && style.faint(escapeInside(totals))).flatMap(line =>
        terminal.wrapped(line)
      ),
      ...coverage.flatMap(sentence =>
        terminal.lines(sentence).map(isRun && overview.tone === 'good' ? style.faint : style.warn)
      ),
      ...present(failedWave && style.bad(`Failed: ${escapeInside(failedWave)}`)).flatMap(line =>
        terminal.wrapped(line)
      ),
      ...present(
        !isRun && changes.length > 0 && digest && style.faint(`digest ${escapeInside(digest)}`)
      )
    ],
    verdict: verdictLines(overview, terminal)
  }
}

function findingSection(
  overview: Overview,
  status: FindingStatus,
  terminal: Terminal,
  options: RenderOptions
): string[][] {
  const groups = overview.findings.filter(group => group.status === status)
  if (groups.length === 0) return []
  const tone = status === 'refused' ? 'bad' : 'warn'
  const title = findingTitle(status, overview)
  return [
    [
      ...terminal.heading({ title, count: countOf(groups), tone }),
      ...findingLines(groups, terminal, options)
    ]
  ]
}

function stateSections(
  { kind: of, changes, sites, asOf }: Overview,
  terminal: Terminal,
  verbose: boolean
): string[][] {
  const kind = of === 'drift' || of === 'diff' ? of : 'plan'
  const byState = groupBy(changes, ({ state }) => state)
  const missing = (kind === 'drift' ? sites : []).flatMap(({ networks }) =>
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
      ...groups.flatMap(group => changeLines(group, terminal, { verbose, ...compact({ asOf }) })),
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

/** The headline, if it has a danger, and the verdict. */
function verdictLines(overview: Overview, terminal: Terminal): string[] {
  const { style } = terminal
  const { kind, isRun, headline, verdict, tone, states, changes } = overview
  if (verdict.length === 0) return []
  const line = verdictLine(overview)
  if (kind === 'findings') return terminal.lines(line).map(terminal.tone(tone))
  const isSevere = isRun
    ? changes.some(({ left }) => left !== undefined)
    : states.some(({ state }) => state in meanings)
  const [first] = verdict
  const isPlain =
    alarmsOf(overview).length === 0 && verdict.length === 1 && typeof first === 'object'
  const text =
    isPlain && first.kind === 'strong' && tone === 'good'
      ? style.good(terminal.inline(first.text))
      : terminal.inline(line)
  const meaning = isSevere ? terminal.lines(headline) : []
  return [
    ...meaning.map(each => terminal.tone(tone)(style.strong(each))),
    ...terminal.wrapped(text)
  ]
}
