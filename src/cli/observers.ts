import { reasonOf } from '../model/failure.ts'
import { escapeText } from '../report/escape.ts'
import { type Io, writeLine } from './io.ts'

/** Makes a function that never throws of one that only watches a run, such as drawing its progress. */
export type Watching = <Args extends unknown[], Result>(
  watch: (...args: Args) => Result,
  otherwise: Result
) => (...args: Args) => Result

/**
 * Drawing, waiting notices and the like must not end a run in the middle of an apply: the first error
 * that one of these functions throws is printed on stderr, with `what` failed, and the run goes on.
 */
export function watching(what: string, io: Pick<Io, 'stderr'>): Watching {
  let isPrinted = false
  return (watch, otherwise) =>
    (...args) => {
      try {
        return watch(...args)
      } catch (error) {
        if (!isPrinted) {
          isPrinted = true
          const warning = `wlanctl: warning: ${what} failed: ${escapeText(reasonOf(error))}`
          writeLine(io, `${warning}; the run goes on`).catch(() => undefined)
        }
        return otherwise
      }
    }
}
