import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { environment, folder, ROOT, type Running, startCommand } from '../../support/program.ts'
import { type GitHub, github, REPOSITORY } from './github.ts'
import { outputsIn } from './machine.ts'

/** A machine that runs single scripts as steps of a workflow. */
export interface Desk {
  readonly hub: GitHub
  /** `$RUNNER_TEMP`. */
  readonly temp: string
  readonly cwd: string
  /** Runs a script of `.github` to its end; `env` contains the variables of its step. */
  run(script: string, env?: Readonly<Record<string, string>>): Promise<Finished>
  /** Starts a script, in its own checkout if there is one. */
  start(script: string, env?: Readonly<Record<string, string>>, checkout?: string): Running
  /** Writes a file below the machine's folder and returns its path. */
  write(path: string, text: string): string
  read(path: string): string
  /** Installs a program of a few lines in place of wlanctl. */
  program(text: string): void
  /** Adds a command of a few lines of bash before those of the system. */
  command(name: string, text: string): void
}

export interface Finished {
  readonly code: number | null
  readonly log: string
  readonly outputs: Readonly<Record<string, string>>
}

export function desk(): Desk {
  const hub = github()
  const home = folder()
  const temp = join(home, 'temp')
  const cwd = join(home, 'checkout')
  mkdirSync(temp)
  mkdirSync(cwd)
  const write: Desk['write'] = (path, text) => {
    const file = join(home, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    return file
  }
  const variables = {
    PATH: `${hub.bin}:${environment()['PATH']}`,
    FAKE_GITHUB: hub.directory,
    FAKE_PERMISSIONS:
      '{"actions":"read","contents":"read","issues":"write","pull-requests":"write"}',
    GH_TOKEN: 'token-of-the-job',
    GITHUB_ACTION_PATH: join(ROOT, '.github/actions/wlanctl'),
    GITHUB_OUTPUT: join(home, 'output'),
    GITHUB_REPOSITORY: REPOSITORY,
    GITHUB_RUN_ATTEMPT: '1',
    GITHUB_RUN_ID: '1',
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_STEP_SUMMARY: join(home, 'summary'),
    NAME: 'fleet',
    RUNNER_TEMP: temp
  }
  const start: Desk['start'] = (script, env = {}, checkout = cwd) => {
    write('output', '')
    const path = join(ROOT, '.github', script)
    return startCommand('bash', [path], { cwd: checkout, env: { ...variables, ...env } })
  }
  return {
    hub,
    temp,
    cwd,
    write,
    start,
    read: path => readFileSync(join(home, path), 'utf8'),
    async run(script, env) {
      const { code, stdout, stderr } = await start(script, env).ended
      const outputs = outputsIn(readFileSync(variables.GITHUB_OUTPUT, 'utf8'))
      return { code, log: stdout + stderr, outputs }
    },
    program: text => void write('temp/wlanctl/node_modules/wlanctl/dist/wlanctl.js', text),
    command(name, text) {
      writeFileSync(join(hub.bin, name), `#!/bin/bash\n${text}\n`)
      chmodSync(join(hub.bin, name), 0o755)
    }
  }
}
