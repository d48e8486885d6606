import type { Wave } from '../../core/model/desired.ts'
import type { OutcomeData, Tally } from '../../core/model/outcome.ts'
import type { Change } from '../../core/model/plan.ts'
import type { Pointer } from '../../core/values/pointer.ts'

export const FORMAT = 'wlanctl-record/1'

/**
 * The lines of a record (`schemas/record.schema.json`), in their order.
 *
 * | step          | written                                                                  |
 * |---------------|--------------------------------------------------------------------------|
 * | `begin`       | first; the only one with a `format`                                      |
 * | `planned`     | once for each change, before the first request                           |
 * | `wave-begins` | before the first change of a wave, if there are waves                    |
 * | `sending`     | before an update is sent, and the read before it; the first one is durable by then |
 * | `answered`    | when the service responded, or the request failed                        |
 * | `read`        | after the WLAN was read back                                             |
 * | `outcome`     | when the outcome of the change is known                                  |
 * | `wave-ends`   | when all changes of a wave are done and its result is known              |
 * | `end`         | last                                                                     |
 */
export type RecordLine = Begin | Planned | WaveStep | ChangeStep | End

export interface Begin {
  readonly format: typeof FORMAT
  readonly run: string
  readonly step: 'begin'
  readonly at: string
  readonly tool: string
  readonly command: 'apply' | 'revert'
  readonly base_url: string
  /** Of the plan that was shown. */
  readonly digest: string
  /** Of the `planned` lines, which may be fewer than the changes of that plan. */
  readonly changes_digest: string
  readonly changes: number
  /** The waves of that plan; absent if it has none. */
  readonly rollout?: readonly Wave[]
}

export interface Planned {
  readonly run: string
  readonly step: 'planned'
  readonly change: Change
  readonly lost_secrets?: readonly Pointer[]
}

export type WaveStep = {
  readonly run: string
  readonly at: string
  /** Its name; absent for the last wave, of the sites in no declared wave. */
  readonly wave?: string
} & (
  | { readonly step: 'wave-begins'; readonly changes: number }
  /** `problem`: the reason why no later wave starts; absent after a successful wave. */
  | { readonly step: 'wave-ends'; readonly problem?: string }
)

export type ChangeStep = {
  readonly run: string
  readonly at: string
  readonly address: string
} & (
  | { readonly step: 'sending'; readonly attempt: number }
  | { readonly step: 'answered'; readonly error?: string }
  | { readonly step: 'read'; readonly seen: 'applied' | 'diverged' | 'unread' }
  | ({ readonly step: 'outcome' } & OutcomeData)
)

type Step = ChangeStep | WaveStep

export type RunStep = Step extends infer Each
  ? Each extends Step
    ? Omit<Each, 'run' | 'at'>
    : never
  : never

export type StartStep = Extract<RunStep, { readonly step: 'sending' }>

export interface End {
  readonly run: string
  readonly step: 'end'
  readonly at: string
  readonly summary: Tally
  /** The reason why the run stopped before its last change or failed a check; absent if it did neither. */
  readonly problem?: string
}
