import { waveTitle } from '../../core/model/desired.ts'
import type { RecordedRun, RecordedWave } from '../../core/model/record.ts'
import { compact, present } from '../../core/values/collections.ts'
import { capitalised, plural } from '../../core/values/text.ts'
import { formatTime } from '../../core/values/time.ts'
import { type CommandOptions, fleetCommand } from '../fleet-command.ts'
import {
  type Block,
  code,
  danger,
  name,
  type Section,
  type Table,
  type Text,
  textOf
} from '../render/document.ts'
import type { RecordReport } from '../report.ts'
import {
  countOutcomes,
  countsText,
  outcomesHeadline,
  outcomeTable,
  type Result,
  resultGroups,
  runOverview,
  runStates,
  subjectOf
} from './outcomes.ts'
import type { ChangeGroup, Overview } from './overview.ts'
import { row, waveName } from './sections.ts'
import { worstTone } from './states.ts'
import { whereOf } from './where.ts'

const INCOMPLETE_RECORD = 'The record is incomplete: the run was killed or is still running'

/** The overview of a record: each network has the state of its latest run. */
export function recordOverview({ runs }: RecordReport, options: CommandOptions): Overview {
  const latest = new Map(
    runs.flatMap(({ changes }) => changes).map(result => [result.outcome.address, result])
  )
  const results = [...latest.values()]
  const counts = countOutcomes(results)
  const last = runs.at(-1)
  const command = last?.command ?? 'apply'
  const isOpen = runs.some(({ ended }) => ended === undefined)
  const unknown = results.filter(({ outcome }) => outcome.status === 'unknown')
  const plan = compact({ rollout: last?.rollout })
  const stopped = compact({ failedWave: last && failedWaveOf(last) })
  const run = runOverview(results, { plan, ...stopped }, command, fleetCommand(options))
  return {
    ...run,
    kind: 'record',
    tone: worstTone(counts, isOpen ? 'bad' : 'good'),
    headline: isOpen ? [INCOMPLETE_RECORD] : outcomesHeadline(results, command),
    verdict: verdictOf(runs),
    coverage: isOpen ? unknownText(unknown) : [],
    states: runStates(command, counts, run.changes),
    sections: runs.toReversed().map(runSection)
  }
}

function unknownText(results: readonly Result[]): Text[] {
  const { text } = whereOf(results.map(subjectOf))
  return present<Text>(results.length > 0 && [danger('Unknown state: ', ...text)], [
    'Run ',
    code('wlanctl plan'),
    ' to see the missing changes.'
  ])
}

function verdictOf(runs: readonly RecordedRun[]): Text {
  const all = runs.flatMap(({ changes }) => changes.map(({ outcome }) => outcome))
  const [run, ...others] = runs
  const count = plural(runs.length, 'run')
  if (all.length === 0) return [others.length === 0 ? 'No changes' : `${count}: no changes`]
  return countsText(run && others.length === 0 ? capitalised(run.command) : count, all)
}

/** What a run was, and its outcomes in the same groups as those of a run that just ended. */
function runSection(run: RecordedRun, at: number): Section {
  const { changes: results, id, command, started, ended, waves = [] } = run
  const outcomes = results.map(({ outcome }) => outcome)
  const title = capitalised(command)
  const end = ended === undefined ? 'an unknown time' : code(formatTime(ended))
  const about: readonly Text[] = [
    ['Run ', code(id), `: ${command} on `, code(run.baseUrl), ', '],
    [code(formatTime(started)), ' to ', end],
    [', by ', code(run.tool), ', digest ', code(run.digest)]
  ]
  return {
    id: `run-${id.replace(/[^\w-]/g, '')}`,
    noun: 'outcome',
    title: results.length === 0 ? `${title}: no changes` : textOf(countsText(title, outcomes)),
    tone: worstTone(countOutcomes(results)),
    isFolded: true,
    ...(at > 0 && { isUnlisted: true }),
    blocks: present<Block>(
      { kind: 'paragraph', text: about.flat() },
      ended === undefined && { kind: 'callout', text: [`${INCOMPLETE_RECORD}.`] },
      waves.length > 0 && waveTable(waves),
      results.length > 0 && outcomeTable(resultGroups(results, failedWaveOf(run)).map(withFields))
    )
  }
}

/** What stopped the rollout of a run, as its outcomes say it: `wave canary: hq/guest is diverged`. */
function failedWaveOf({ waves = [] }: RecordedRun): string | undefined {
  const failed = waves.find(({ problem }) => problem !== undefined)
  return failed && `${waveTitle(failed.name)}: ${failed.problem}`
}

/** No plan has shown the changed fields before. */
function withFields({ fields, results = [], ...group }: ChangeGroup): ChangeGroup {
  const values = fields.map(({ name, value }): Text => [code(name), ' ', ...value])
  return { ...group, fields: [], results: [...results, ...values] }
}

function waveTable(waves: readonly RecordedWave[]): Table {
  const rows = waves.map(wave => {
    const { changes, started, ended, problem } = wave
    const to: Text = ended === undefined ? [] : [' to ', code(formatTime(ended))]
    const end: Text = problem === undefined ? [] : [': ', name(problem)]
    const time = [code(formatTime(started)), ...to, ...end]
    return row([waveName(wave)], plural(changes, 'change'), time)
  })
  return { kind: 'table', columns: ['Wave', 'Changes', 'Time'], rows }
}
