import { join } from 'node:path'
import { Failure } from '../core/model/failure.ts'
import { listFirst } from '../core/values/text.ts'
import { escapeCode } from '../report/escape.ts'
import { parseRecord } from '../run/record/read.ts'
import { downloadRecord } from './branch.ts'
import { type Job, textOf } from './command.ts'
import type { Deployment } from './forge.ts'

/** Fields of stale outcomes, by address. */
type StaleFields = ReadonlyMap<string, readonly string[]>

/**
 * Says which stale fields the apply before this one changed: its pull request and that of the plan change the same
 * field, and nobody has edited it by hand.
 */
export async function sharedFieldNotes(job: Job, base: Deployment | undefined): Promise<string[]> {
  const stale = await staleFields(job)
  if (stale.size === 0 || base === undefined) return []
  try {
    return await notesFor(job, stale, base)
  } catch (error) {
    // The run has sent its changes, and this is only an explanation.
    if (!(error instanceof Failure)) throw error
    await job.log(`the record of run ${base.run?.id} cannot be read: ${error.message}`)
    return []
  }
}

async function notesFor(job: Job, stale: StaleFields, base: Deployment): Promise<string[]> {
  const record = await downloadRecord(job, base)
  if (record === undefined) return []
  const runs = parseRecord((await textOf(record)) ?? '', 'the record of the apply before')
  const applied = runs
    .flatMap(({ changes }) => changes)
    .filter(({ outcome }) => outcome.status === 'applied')
    .flatMap(({ change: { address, patch } }) =>
      patch.flatMap(({ path }) => (stale.get(address)?.includes(path) ? `${address} ${path}` : []))
    )
  if (applied.length === 0) return []
  const fields = listFirst(
    [...new Set(applied)].map(each => `\`${escapeCode(each)}\``),
    5,
    'other'
  )
  return [
    `**The apply before this one changed the same fields**, after the plan of this pull request was made: ${fields} (run ${base.run?.id}). Two pull requests change them.`
  ]
}

async function staleFields({ results }: Job): Promise<StaleFields> {
  const { outcomes = [] } = JSON.parse((await textOf(join(results, 'outcomes.json'))) ?? '{}') as {
    outcomes?: readonly {
      readonly address: string
      readonly status: string
      readonly fields?: readonly { readonly pointer: string }[]
    }[]
  }
  return new Map(
    outcomes
      .filter(({ status }) => status === 'stale')
      .map(({ address, fields = [] }) => [address, fields.map(({ pointer }) => pointer)])
  )
}
