import type { OutcomeData, Tally } from '../../model/outcome.ts'
import type { Change } from '../../model/plan.ts'
import type { Pointer } from '../../model/pointer.ts'
import type { TimelineEvent } from '../../model/record.ts'

export const FORMAT = 'wlanctl-record/1'

/**
 * The lines of a record (`schemas/record.schema.json`), in the order in which they come.
 *
 * | step          | is written                                                               |
 * |---------------|--------------------------------------------------------------------------|
 * | `begin`       | first; the only one with a `format`                                      |
 * | `planned`     | once for each change, before the first request                           |
 * | `wave-begins` | before the first change of a wave, where there are waves                 |
 * | `sending`     | before an update is sent, and on the disk when it is sent                |
 * | `answered`    | when it was answered, or failed                                          |
 * | `read`        | when the WLAN was read back                                              |
 * | `outcome`     | when it is known what became of the change; the last line of it          |
 * | `wave-ends`   | when all of a wave is done, and it is known whether it is good           |
 * | `end`         | last                                                                     |
 */
export type RecordLine = Begin | Planned | WaveStep | Step | End

export interface Begin {
  readonly format: typeof FORMAT
  readonly run: string
  readonly step: 'begin'
  readonly at: string
  readonly tool: string
  readonly command: 'apply' | 'revert'
  readonly base_url: string
  readonly digest: string
  readonly changes: number
}

export interface Planned {
  readonly run: string
  readonly step: 'planned'
  readonly change: Change
  readonly lost_secrets?: readonly Pointer[]
}

/** A step of one wave. */
export type WaveStep = {
  readonly run: string
  readonly at: string
  /** Its name; absent for the last one, of the sites that no declared wave holds. */
  readonly wave?: string
} & (
  | { readonly step: 'wave-begins'; readonly changes: number }
  /** `problem` is why no other wave is begun; absent after a good one. */
  | { readonly step: 'wave-ends'; readonly problem?: string }
)

/** A step of one change. */
export type Step = {
  readonly run: string
  readonly at: string
  readonly address: string
} & (
  | { readonly step: 'sending'; readonly attempt: number }
  | { readonly step: 'answered'; readonly error?: string }
  | { readonly step: 'read'; readonly seen: 'applied' | 'diverged' | 'unread' }
  | ({ readonly step: 'outcome' } & OutcomeData)
)

export interface End {
  readonly run: string
  readonly step: 'end'
  readonly at: string
  readonly summary: Tally
}

/** A step as reports tell it. */
export function momentOf(step: Step): TimelineEvent {
  const note = noteOf(step)
  return { at: step.at, step: step.step, ...(note === undefined ? {} : { note }) }
}

function noteOf(step: Step): string | undefined {
  switch (step.step) {
    case 'sending':
      return step.attempt > 1 ? `attempt ${step.attempt}` : undefined
    case 'answered':
      return step.error
    case 'read':
      return step.seen
    case 'outcome':
      return undefined
  }
}
