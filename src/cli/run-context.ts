import { tool } from '../core/model/tool.ts'
import { escapeInside } from '../report/escape.ts'
import type { RunContext } from '../run/context.ts'
import type { ReportOptions } from './options.ts'
import { type Io, writeLine } from './terminal/io.ts'
import { type Progress, startProgress } from './terminal/progress.ts'
import { printEstimate } from './terminal/request-summary.ts'

type DisplayOptions = Pick<ReportOptions, 'quiet' | 'verbose'>

export function runContext(options: DisplayOptions, io: Io): RunContext {
  let progress: Progress | undefined
  return {
    tool: tool.name,
    now: io.now,
    interrupted: io.interrupted,
    abortSignal: io.abortSignal,
    on(event) {
      switch (event.type) {
        case 'started': {
          const { requests } = event.task
          const estimated =
            requests === undefined ? undefined : printEstimate(requests, options, io)
          const start = () => {
            progress = startProgress(event.task, options, io)
          }
          return estimated === undefined ? void start() : estimated.then(start)
        }
        case 'step':
          progress?.step(event.text, event.found)
          return undefined
        case 'ended':
          progress?.end()
          return undefined
        case 'notice':
          return options.quiet ? undefined : writeLine(io, `wlanctl: ${escapeInside(event.text)}`)
      }
    }
  }
}
