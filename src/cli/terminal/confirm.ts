import { exit, Failure, wrongInput } from '../../core/model/failure.ts'
import { type Io, isTerminal, linesFor, writeLine } from './io.ts'

interface Confirmation {
  readonly question: string
  /** The past participle for a message after a yes, e.g. `applied`. */
  readonly done: string
  /** The consequence of any other answer, e.g. `nothing was sent`. */
  readonly refused: string
}

/** Throws (exit 3) if there is no terminal to ask for confirmation. `undone`: the consequence. */
export function requireTerminal(
  io: Pick<Io, 'stdin' | 'stderr'>,
  command = 'apply',
  undone = 'nothing was sent'
): void {
  if (isTerminal(io)) return
  throw wrongInput(
    `cannot ask for confirmation: not a terminal; ${undone}`,
    `give --yes to ${command} without confirmation`
  )
}

/**
 * Asks for confirmation on the terminal; returns only after a `yes`. Any other input, the end of the input
 * and Ctrl-C throw. While a terminal is read, it delivers Ctrl-C as a key, not as a signal.
 */
export async function confirm({ question, done, refused }: Confirmation, io: Io): Promise<void> {
  const { createInterface } = await import('node:readline/promises')
  const lines = createInterface({ input: io.stdin, output: io.stderr })
  let interrupted = false
  let answer: string | undefined
  const closed = new Promise<undefined>(resolve => {
    lines.once('close', () => resolve(undefined))
    lines.once('SIGINT', () => {
      interrupted = true
      lines.close()
    })
  })
  try {
    const prompt = `${linesFor(io.stderr, `${question} Enter "yes" to confirm:`)} `
    const reply = await Promise.race([lines.question(prompt, { signal: io.interrupted }), closed])
    if (reply === undefined) await writeLine(io, '')
    answer = reply?.trim()
    if (answer === 'yes') return
  } finally {
    lines.close()
  }
  if (interrupted) throw new Failure(exit.interrupted, `interrupted; ${refused}`)
  const isOther = answer !== undefined && answer !== 'no'
  throw new Failure(
    exit.refused,
    `not ${done}; ${refused}`,
    isOther ? 'only "yes" confirms; any other answer counts as no' : undefined
  )
}
