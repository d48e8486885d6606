import { createInterface } from 'node:readline/promises'
import { exit, Failure } from '../model/failure.ts'
import type { Confirmation } from '../workflow/host.ts'
import { type Io, writeLine } from './io.ts'

/** Throws (exit 3) without a terminal to ask for confirmation. */
export function requireTerminal(
  io: Pick<Io, 'stdin' | 'stderr'>,
  command = 'apply',
  refused = 'nothing was sent'
): void {
  if (io.stdin.isTTY && io.stderr.isTTY) return
  throw new Failure(
    exit.wrongInput,
    `cannot ask for confirmation: not a terminal; ${refused}`,
    `give --yes to ${command} without confirmation`
  )
}

/**
 * Asks for confirmation on the terminal; returns only after a `yes`. Any other input, the end of the input
 * and Ctrl-C throw. A terminal that is being read delivers Ctrl-C as a key, not as a signal.
 */
export async function confirm({ question, done, refused }: Confirmation, io: Io): Promise<void> {
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
    const prompt = `${question} Enter "yes" to confirm: `
    const reply = await Promise.race([lines.question(prompt, { signal: io.interrupted }), closed])
    if (reply === undefined) await writeLine(io, '')
    if (reply?.trim() === 'yes') return
  } finally {
    lines.close()
  }
  if (interrupted) throw new Failure(exit.interrupted, `interrupted; ${refused}`)
  throw new Failure(exit.refused, `not ${done}; ${refused}`)
}
