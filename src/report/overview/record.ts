import type { RecordedRun, RecordedWave } from '../../core/model/record.ts'
import { compact } from '../../core/values/collections.ts'
import { plural } from '../../core/values/text.ts'
import { formatTime } from '../../core/values/time.ts'
import { type Block, type Section, type Text, textOf } from '../render/document.ts'
import type { RecordReport, RenderOptions } from '../report.ts'
import { waveNames } from '../wording/rollout.ts'
import { messageText } from './findings.ts'
import { fleetCommand } from './headline.ts'
import {
  commandTitle,
  countOutcomes,
  countsText,
  outcomesHeadline,
  type Result,
  resultGroups,
  resultProblems,
  resultRows,
  resultSection,
  siteOf
} from './outcomes.ts'
import { emptyOverview, type Overview } from './overview.ts'
import { code, listText, nameTexts, row, waveName } from './sections.ts'
import { planSites, waveOfSites } from './sites.ts'
import { countStates, worstTone } from './states.ts'

const INCOMPLETE_RECORD = 'The record is incomplete: the run was killed or is still running.'

const OPEN_HEADLINE = 'A run was killed or is still running, so its record is incomplete'

/** The overview of a record: each network has the state of its latest run. */
export function recordOverview(
  { runs }: RecordReport,
  { fleet }: Pick<RenderOptions, 'fleet'>
): Overview {
  const latest = new Map(
    runs.flatMap(({ changes }) => changes).map(result => [result.outcome.address, result])
  )
  const results = [...latest.values()]
  const counts = countOutcomes(results)
  const last = runs.at(-1)
  const command = last?.command ?? 'apply'
  const isOpen = runs.some(({ ended }) => ended === undefined)
  const unknown = results.flatMap(({ outcome }) =>
    outcome.status === 'unknown' ? outcome.address : []
  )
  const groups = resultGroups(results)
  const make = fleetCommand(fleet)
  const all = runs.flatMap(({ changes }) => changes.map(({ outcome }) => outcome))
  return {
    ...emptyOverview,
    isRun: true,
    kind: 'record',
    tone: worstTone(counts, isOpen ? 'bad' : 'good'),
    headline: isOpen ? [OPEN_HEADLINE] : outcomesHeadline(results, command),
    verdict: verdictOf(runs, all),
    coverage: isOpen || unknown.length > 0 ? unknownText(unknown) : [],
    states: countStates(command, counts),
    first: resultProblems(groups, command, make).slice(0, 4),
    changes: groups,
    sites: planSites(
      [],
      undefined,
      resultRows(results, groups),
      waveOfSites(last?.rollout, results.map(siteOf))
    ),
    ...compact({ waves: waveNames(last?.rollout) }),
    sections: [...runs].reverse().flatMap(runSection)
  }
}

function unknownText(addresses: readonly string[]): Text[] {
  const names = listText(nameTexts(addresses))
  return [
    ...(addresses.length === 0
      ? []
      : [[{ kind: 'danger', text: ['Unknown state: ', ...names] } as const]]),
    ['Run ', code('wlanctl plan'), ' to see the missing changes.']
  ]
}

function verdictOf(
  runs: readonly RecordedRun[],
  all: readonly { readonly status: Result['outcome']['status'] }[]
): Text {
  const [only] = runs
  if (all.length === 0)
    return [runs.length === 1 ? 'No changes' : `${plural(runs.length, 'run')}: no changes`]
  const title = runs.length === 1 && only ? commandTitle(only.command) : plural(runs.length, 'run')
  return countsText(title, all)
}

function runSection(run: RecordedRun): Section[] {
  const { changes: results, id, started, ended, waves = [] } = run
  const outcomes = results.map(({ outcome }) => outcome)
  const title = commandTitle(run.command)
  const when: Text = [
    code(formatTime(started)),
    ' to ',
    ended === undefined ? 'an unknown time' : code(formatTime(ended))
  ]
  const about = {
    id: `run-${id.replace(/[^\w-]/g, '')}`,
    noun: 'outcome',
    title: results.length === 0 ? `${title}: no changes` : textOf(countsText(title, outcomes)),
    tone: worstTone(countOutcomes(results))
  }
  const [listed] = resultSection(about, results)
  const blocks = [
    paragraph(
      'Run ',
      code(id),
      `: ${run.command} on `,
      code(run.baseUrl),
      ', ',
      ...when,
      ', by ',
      code(run.tool),
      ', digest ',
      code(run.digest)
    ),
    ...(ended === undefined ? [callout(INCOMPLETE_RECORD)] : []),
    ...(waves.length === 0 ? [] : [waveTable(waves)]),
    ...(listed?.blocks ?? [paragraph('Nothing to change')])
  ]
  return [{ ...about, blocks }]
}

function callout(text: string): Block {
  return { kind: 'callout', text: messageText(text) }
}

function paragraph(...text: Text): Block {
  return { kind: 'paragraph', text }
}

function waveTable(waves: readonly RecordedWave[]): Block {
  return {
    kind: 'table',
    columns: ['Wave', 'Changes', 'Time'],
    rows: waves.map(wave => {
      const { changes, started, ended, problem } = wave
      const to: Text = ended === undefined ? [] : [' to ', code(formatTime(ended))]
      const end: Text = problem === undefined ? [] : [': ', { kind: 'name', text: problem }]
      return row([waveName(wave)], plural(changes, 'change'), [
        code(formatTime(started)),
        ...to,
        ...end
      ])
    })
  }
}
