import { validateRecordLine } from '#forms'
import { type Failure, wrongInput } from '../../core/model/failure.ts'
import type { RecordedRun } from '../../core/model/record.ts'
import { fileLimits } from '../../core/model/saved-file-limits.ts'
import { formatNumber } from '../../core/values/text.ts'
import {
  isRecord,
  limitExceeded,
  MAX_DEPTH,
  parseStrictJson,
  sizeOfJson
} from '../../files/saved-file.ts'
import { FORMAT, type RecordLine } from './lines.ts'
import { RunReader } from './run-reader.ts'

const PAUSE_EVERY = 2000

/**
 * Parses a record into its runs, in their order; `pause` is awaited every few thousand lines. A killed run may end
 * anywhere, even within a line, so the last line of the file, and the last line before a later run, may be truncated.
 * Rejects with a `Failure` (exit 3) with the line number if any other line is damaged; the digest covers the planned
 * changes. `name` is the name of the file.
 */
export async function parseRecord(
  text: string,
  name: string,
  pause: () => Promise<void> = async () => undefined
): Promise<RecordedRun[]> {
  if (!isRecord(text)) {
    throw wrongInput(
      `${name}: line 1: expected the format ${JSON.stringify(FORMAT)}`,
      'a record is what `wlanctl apply --record FILE` writes'
    )
  }
  const runs = new Map<string, RunReader>()
  let values = 0
  for (const { line, number, next } of linesOf(text, name)) {
    const wrong = (problem: string, hint = HINT) =>
      wrongInput(`${name}: line ${number}: ${problem}`, hint)
    const size = sizeOfJson(line)
    values += size.values
    const problem = limitExceeded(text.length, { ...size, values }, fileLimits.record)
    if (problem !== undefined) throw wrong(problem, TOO_LARGE)
    if (size.depth > MAX_DEPTH) throw wrong(`it is nested more than ${MAX_DEPTH} levels deep`)
    const value = parseStrictJson(line, size)
    if (value === undefined && (next === undefined || isRecord(next))) continue
    addLine(lineOf(value, wrong), number, runs, wrong)
    if (number % PAUSE_EVERY === 0) await pause()
  }
  return [...runs.values()].map(run => run.recordedRun())
}

interface NumberedLine {
  readonly line: string
  readonly number: number
  readonly next: string | undefined
}

function* linesOf(text: string, name: string): Generator<NumberedLine> {
  const { lines } = fileLimits.record
  for (let start = 0, number = 1; start < text.length; number++) {
    if (number > lines) {
      const problem = `it has more than ${formatNumber(lines)} lines, the limit of a record`
      throw wrongInput(`${name}: ${problem}`, TOO_LARGE)
    }
    const found = text.indexOf('\n', start)
    const end = found === -1 ? text.length : found
    const next = found === -1 ? undefined : text.slice(end + 1, end + 201)
    yield { line: text.slice(start, end), number, next }
    start = end + 1
  }
}

const HINT = 'the record was damaged or edited: do not rely on it'
const TOO_LARGE = 'give each run a record of its own'

type Wrong = (problem: string, hint?: string) => Failure

function lineOf(value: unknown, wrong: Wrong): RecordLine {
  if (value === undefined) throw wrong('it is not JSON, or has a duplicate key')
  const format = typeof value === 'object' && value !== null && 'format' in value && value.format
  if (format !== false && format !== FORMAT) {
    throw wrong(`expected the format ${JSON.stringify(FORMAT)}, got ${JSON.stringify(format)}`)
  }
  if (!validateRecordLine(value)) throw wrong('it is not a line of a record')
  return value as RecordLine
}

function addLine(
  line: RecordLine,
  number: number,
  runs: Map<string, RunReader>,
  wrong: Wrong
): void {
  const run = runs.get(line.run)
  if (line.step === 'begin') {
    if (run !== undefined) throw wrong('this run has already begun')
    if (runs.size === fileLimits.record.runs) {
      const limit = formatNumber(runs.size)
      throw wrong(`it has more than ${limit} runs, the limit of a record`, TOO_LARGE)
    }
    runs.set(line.run, new RunReader(line))
    return
  }
  const problem = run === undefined ? 'its run did not begin' : run.add(line, number)
  if (problem !== undefined) throw wrong(problem)
}
