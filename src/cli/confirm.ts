import { createInterface } from 'node:readline/promises'
import { exit, Failure } from '../model/failure.ts'
import { plural } from '../model/text.ts'
import { type Io, writeLine } from './io.ts'

/** What somebody is asked for. */
export interface Consent {
  /** E.g. `Apply these 3 changes?` */
  readonly question: string
  /** What it would be, e.g. `applied`. */
  readonly done: string
  /** What is so without a `yes`, e.g. `nothing was sent`. */
  readonly refused: string
}

/** The consent to send so many changes, or to undo them, in so many waves. */
export function toSend(command: 'apply' | 'revert', changes: number, waves: number): Consent {
  const steps = waves > 1 ? `, in ${waves} waves` : ''
  const these = changes === 1 ? 'this change' : `these ${plural(changes, 'change')}${steps}`
  const [verb, done] = command === 'apply' ? ['Apply', 'applied'] : ['Undo', 'reverted']
  return { question: `${verb} ${these}?`, done, refused: 'nothing was sent' }
}

/**
 * Asks on the terminal; returns only after a `yes`. Any other answer refuses, and sends nothing; so
 * does the end of the input, and Ctrl-C, which the terminal gives as a key as long as it is read.
 */
export async function confirm({ question, done, refused }: Consent, io: Io): Promise<void> {
  const lines = createInterface({ input: io.stdin, output: io.stderr })
  let interrupted = false
  const closed = new Promise<undefined>(resolve => {
    lines.once('close', () => resolve(undefined))
    lines.once('SIGINT', () => {
      interrupted = true
      lines.close()
    })
  })
  try {
    const answer = await Promise.race([
      lines.question(`${question} Only "yes" is taken for an answer: `, { signal: io.interrupted }),
      closed
    ])
    if (answer === undefined) await writeLine(io, '')
    if (answer?.trim() === 'yes') return
  } finally {
    lines.close()
  }
  if (interrupted) throw new Failure(exit.interrupted, `interrupted; ${refused}`)
  throw new Failure(exit.refused, `not ${done}; ${refused}`)
}
