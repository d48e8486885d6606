/** What the exit code tells of a run; the numbers are the contract with scripts and CI. */
export const exit = {
  done: 0,
  failed: 1,
  changes: 2,
  wrongInput: 3,
  refused: 4,
  incomplete: 5,
  interrupted: 130
} as const

export type ExitCode = (typeof exit)[keyof typeof exit]

/** Where several codes hold, the one that decides: the first of these. */
const precedence: readonly ExitCode[] = [130, 1, 3, 4, 5, 2, 0]

/** The exit code of a run in which all of these hold. */
export function worst(...codes: readonly ExitCode[]): ExitCode {
  return precedence.find(code => codes.includes(code)) ?? exit.done
}

/**
 * An expected failure: a message, what to do about it, and the exit code. It is shown without a
 * stack. Anything else that is thrown is a bug of ours and is shown with one.
 */
export class Failure extends Error {
  readonly exitCode: ExitCode
  readonly hint: string | undefined

  constructor(exitCode: ExitCode, message: string, hint?: string) {
    super(message)
    this.name = 'Failure'
    this.exitCode = exitCode
    this.hint = hint
  }
}

/**
 * The text of whatever was thrown. The file system repeats the whole path; that is left out, since those who
 * tell a reason have named the file as the user did.
 */
export function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  const named = 'syscall' in thrown && 'path' in thrown
  return named ? thrown.message.replace(/, \w+ '.*'$/s, '') : thrown.message
}
