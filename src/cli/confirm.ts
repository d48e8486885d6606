import { createInterface } from 'node:readline/promises'
import { exit, Failure } from '../model/failure.ts'
import { count } from '../model/identity.ts'
import { type Io, say } from './io.ts'

/**
 * Asks on the terminal; returns only after a `yes`. Any other answer refuses, and sends nothing; so
 * does the end of the input, and Ctrl-C, which the terminal gives as a key as long as it is read.
 */
export async function confirm(command: 'apply' | 'revert', changes: number, io: Io): Promise<void> {
  const lines = createInterface({ input: io.stdin, output: io.stderr })
  const verb = command === 'apply' ? 'Apply' : 'Undo'
  const question = `${verb} ${changes === 1 ? 'this change' : `these ${count(changes, 'change')}`}? Only "yes" is taken for an answer: `
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
      lines.question(question, { signal: io.interrupted }),
      closed
    ])
    if (answer === undefined) await say(io, '')
    if (answer?.trim() === 'yes') return
  } finally {
    lines.close()
  }
  if (interrupted) throw new Failure(exit.interrupted, 'interrupted; nothing was sent')
  throw new Failure(
    exit.refused,
    `not ${command === 'apply' ? 'applied' : 'reverted'}; nothing was sent`
  )
}
