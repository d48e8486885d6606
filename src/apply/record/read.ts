import { validateRecordLine } from '#forms'
import { exit, Failure } from '../../model/failure.ts'
import { fileLimits } from '../../model/file-limits.ts'
import type { RecordedRun } from '../../model/record.ts'
import { formatNumber } from '../../model/text.ts'
import { DEEPEST, excess } from '../../plan/saved.ts'
import { parseStrictJson, sizeOfJson } from '../../plan/strict-json.ts'
import { FORMAT, type RecordLine } from './lines.ts'
import { RunReader } from './run.ts'

/** True for a text that says of itself that it is a record, be it of a version we do not know. */
export function isRecord(text: string): boolean {
  return /^\s*\{\s*"format"\s*:\s*"wlanctl-record\//.test(text.slice(0, 200))
}

/**
 * Reads a record: the runs in it, in their order. A run that was killed may end anywhere, also in the
 * middle of a line; so the last line of the file, and one before the first line of a later run, may be
 * cut. Throws a `Failure` (exit 3) that names the line if anything else is not as it was written, as
 * far as that can be told: the digest covers what was to be done. `name` is the file's.
 */
export function parseRecord(text: string, name: string): RecordedRun[] {
  const reading = readLines(text, name)
  for (;;) {
    const { done, value } = reading.next()
    if (done) return value
  }
}

/** The same, and waits for `pause` from time to time. */
export async function parseRecordSlowly(
  text: string,
  name: string,
  pause: () => Promise<void>
): Promise<RecordedRun[]> {
  const reading = readLines(text, name)
  for (;;) {
    const { done, value } = reading.next()
    if (done) return value
    await pause()
  }
}

/** Lines that are read before others get a turn. */
const TURN = 2000

function* readLines(text: string, name: string): Generator<undefined, RecordedRun[]> {
  if (!isRecord(text)) {
    throw new Failure(
      exit.wrongInput,
      `${name}: line 1: expected the format ${JSON.stringify(FORMAT)}`,
      'a record is what `wlanctl apply --record FILE` writes'
    )
  }
  const runs = new Map<string, RunReader>()
  let values = 0
  for (const { line, number, next } of linesOf(text, name)) {
    const wrong = (problem: string, hint = HINT) =>
      new Failure(exit.wrongInput, `${name}: line ${number}: ${problem}`, hint)
    const size = sizeOfJson(line)
    values += size.values
    const problem = excess(text.length, { ...size, values }, fileLimits.record)
    if (problem !== undefined) throw wrong(problem, TOO_LARGE)
    if (size.depth > DEEPEST) throw wrong(`it is nested more than ${DEEPEST} deep`)
    const value = parseStrictJson(line, size)
    if (value === undefined && (next === undefined || isRecord(next))) continue
    take(lineOf(value, wrong), number, runs, wrong)
    if (number % TURN === 0) yield
  }
  return [...runs.values()].map(run => run.told())
}

/** A line, its number, and the beginning of the next one, which the last line does not have. */
interface NumberedLine {
  readonly line: string
  readonly number: number
  readonly next: string | undefined
}

/** The lines of a text, one after the other; throws before the one that is over the limit. */
function* linesOf(text: string, name: string): Generator<NumberedLine> {
  const { lines } = fileLimits.record
  for (let start = 0, number = 1; start < text.length; number++) {
    if (number > lines) {
      const problem = `it has more than ${formatNumber(lines)} lines, the limit of a record`
      throw new Failure(exit.wrongInput, `${name}: ${problem}`, TOO_LARGE)
    }
    const found = text.indexOf('\n', start)
    const end = found === -1 ? text.length : found
    const next = found === -1 ? undefined : text.slice(end + 1, end + 201)
    yield { line: text.slice(start, end), number, next }
    start = end + 1
  }
}

const HINT = 'the record was damaged or edited; nothing in it can be relied on'
const TOO_LARGE = 'give each run a record of its own'

type Wrong = (problem: string, hint?: string) => Failure

function lineOf(value: unknown, wrong: Wrong): RecordLine {
  if (value === undefined) throw wrong('it is not JSON, or holds a key twice')
  const format = typeof value === 'object' && value !== null && 'format' in value && value.format
  if (format !== false && format !== FORMAT) {
    throw wrong(`expected the format ${JSON.stringify(FORMAT)}, found ${JSON.stringify(format)}`)
  }
  if (!validateRecordLine(value)) throw wrong('it is no line of a record')
  return value as RecordLine
}

function take(line: RecordLine, number: number, runs: Map<string, RunReader>, wrong: Wrong): void {
  const run = runs.get(line.run)
  if (line.step === 'begin') {
    if (run !== undefined) throw wrong('this run has begun already')
    runs.set(line.run, new RunReader(line))
    return
  }
  const problem = run === undefined ? 'its run has not begun' : run.take(line, number)
  if (problem !== undefined) throw wrong(problem)
}
