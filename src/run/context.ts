import type { Reader } from '../service/client.ts'

export interface RunContext {
  /** The program and its version, for plans and records: `wlanctl/1.2.3`. */
  readonly tool: string
  readonly now: () => Date
  /** Aborted when the run must stop: nothing new starts. */
  readonly interrupted: AbortSignal
  /** Aborted when requests in progress must stop, too. */
  readonly abortSignal: AbortSignal
  /** Receives the events in order; the run waits for its promise. */
  readonly on: (event: RunEvent) => Promise<void> | undefined
}

/** What happens in a run. At most one task runs at a time, and each one that started ends. */
export type RunEvent =
  | { readonly type: 'started'; readonly task: Task }
  | StepEvent
  | { readonly type: 'ended' }
  | { readonly type: 'notice'; readonly text: string }

export interface StepEvent {
  readonly type: 'step'
  readonly text: string
  /** Added to the counts by result, e.g. `{ 'to change': 2 }`. */
  readonly found?: Readonly<Record<string, number>> | undefined
}

export interface Task {
  /** E.g. `reading sites`; not escaped. */
  readonly doing: string
  readonly total: number
  /** The requests that the task needs at least, as far as it is known before. */
  readonly requests?: number
  /** Its waits for a rate limit and its retries are displayed. */
  readonly reader: Pick<Reader, 'waitUntil' | 'retrying'>
  /** The number of items with a response, including those without a step yet. */
  readonly answered?: () => number
  /** Its last line stays on the terminal, as that of a wave. */
  readonly stays?: boolean
}
