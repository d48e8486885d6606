import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { environment, folder, ROOT, startCommand } from '../../support/program.ts'

/** A machine that runs single scripts as steps of a workflow. */
export interface Desk {
  readonly cwd: string
  /** The folder with its own commands. */
  readonly bin: string
  /** Runs a script of `.github` to its end; `env` contains the variables of its step. */
  run(script: string, env?: Readonly<Record<string, string>>): Promise<Finished>
  /** Writes a file below the machine's folder and returns its path. */
  write(path: string, text: string): string
  read(path: string): string
  /** Adds a command of a few lines of bash before those of the system. */
  command(name: string, text: string): void
}

interface Finished {
  readonly code: number | null
  readonly log: string
}

export function desk(): Desk {
  const home = folder()
  const [bin, temp, cwd] = ['bin', 'temp', 'checkout'].map(name => join(home, name)) as [
    string,
    string,
    string
  ]
  for (const each of [bin, temp, cwd]) mkdirSync(each)
  const variables = {
    PATH: `${bin}:${environment()['PATH']}`,
    GITHUB_OUTPUT: join(home, 'output'),
    GITHUB_STEP_SUMMARY: join(home, 'summary'),
    RUNNER_TEMP: temp
  }
  return {
    cwd,
    bin,
    read: path => readFileSync(join(home, path), 'utf8'),
    write(path, text) {
      const file = join(home, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
      return file
    },
    async run(script, env = {}) {
      const options = { cwd, env: { ...variables, ...env } }
      const { code, stdout, stderr } = await startCommand(
        'bash',
        [join(ROOT, '.github', script)],
        options
      ).ended
      return { code, log: stdout + stderr }
    },
    command(name, text) {
      writeFileSync(join(bin, name), `#!/bin/bash\n${text}\n`)
      chmodSync(join(bin, name), 0o755)
    }
  }
}
