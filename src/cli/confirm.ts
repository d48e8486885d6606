import { createInterface } from 'node:readline/promises'
import { exit, Failure } from '../model/failure.ts'
import { count } from '../model/identity.ts'
import type { Plan } from '../model/plan.ts'
import type { Io } from './io.ts'

/** Asks on the terminal; returns only after a `yes`. Any other answer refuses, and sends nothing. */
export async function confirm({ changes }: Plan, io: Io): Promise<void> {
  const lines = createInterface({ input: io.stdin, output: io.stderr })
  try {
    const question = `Apply ${changes.length === 1 ? 'this change' : `these ${count(changes.length, 'change')}`}? Only "yes" is taken for an answer: `
    const answer = await Promise.race([
      lines.question(question, { signal: io.interrupted }),
      new Promise<undefined>(resolve => lines.once('close', () => resolve(undefined)))
    ])
    if (answer?.trim() === 'yes') return
  } finally {
    lines.close()
  }
  throw new Failure(exit.refused, 'not applied; nothing was sent')
}
