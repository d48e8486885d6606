/** The exit codes of a run; the numbers are a contract with scripts and CI. */
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

/** The precedence of exit codes if several apply. */
const precedence: readonly ExitCode[] = [130, 1, 3, 4, 5, 2, 0]

export function worst(...codes: readonly ExitCode[]): ExitCode {
  return precedence.find(code => codes.includes(code)) ?? exit.done
}

/** An expected failure, shown without a stack trace; any other thrown value is a bug in wlanctl. */
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

/** The failure (exit 3) of wrong input, after which nothing was sent. */
export function wrongInput(message: string, hint?: string): Failure {
  return new Failure(exit.wrongInput, message, hint)
}

/** The message without the path in file system errors: callers name the file as the user did. */
export function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  const named = 'syscall' in thrown && 'path' in thrown
  return named ? thrown.message.replace(/, \w+ '.*'$/s, '') : thrown.message
}

/** An error of an observer does not stop the run; the first one is reported at the end. */
export class Observers {
  #error: string | undefined

  get error(): string | undefined {
    return this.#error
  }

  /** Calls an observer without awaiting a promise that it returns. */
  notify(call: () => unknown): void {
    try {
      const result = call()
      if (result instanceof Promise) result.catch(thrown => this.#record(thrown))
    } catch (thrown) {
      this.#record(thrown)
    }
  }

  #record(thrown: unknown): void {
    this.#error ??= reasonOf(thrown)
  }
}
