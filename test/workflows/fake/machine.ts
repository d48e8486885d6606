import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { environment, folder, ROOT, startCommand } from '../../support/program.ts'
import { type Contexts, holds, interpolate } from './expression.ts'
import { type Artifact, type GitHub, REPOSITORY } from './github.ts'
import { action, type Job, type Step } from './workflow.ts'

/** The event that starts a workflow run. */
export interface Event {
  /** The id of the run, which its artifacts have. */
  readonly run: Artifact['workflow_run']
  readonly github: Contexts
  readonly inputs: Contexts
  /** The secrets that GitHub passes to a run of this event: none from a fork. */
  readonly secrets: Readonly<Record<string, string>>
  /** The secrets of the environments, for runs of the branch `main` only. */
  readonly environments: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** The maximum permission of the token of this run: `read` from a fork. */
  readonly most: 'read' | 'write'
  /** The attempt of the run, from 1. */
  readonly attempt?: number
  /** Called before each job with this id, such as an approval. */
  readonly beforeJob?: Readonly<Record<string, () => void>>
  /** True if the registry cannot be reached. */
  readonly isRegistryDown?: boolean
  /** The checked out files. */
  readonly checkout: string
}

export interface JobResult {
  readonly result: 'success' | 'failure' | 'skipped'
  readonly outputs: Readonly<Record<string, string>>
  /** The log of all steps. */
  readonly log: string
  readonly summary: string
  /** The environment of each step by the step's name. */
  readonly given: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/** A new machine for one job. */
export class Machine {
  readonly #job: Job
  readonly #event: Event
  readonly #hub: GitHub
  readonly #home = folder()
  readonly #workspace = join(this.#home, 'workspace')
  readonly #temp = join(this.#home, 'temp')
  readonly #steps: Record<string, { outputs: Record<string, string> }> = {}
  readonly #given: Record<string, Record<string, string>> = {}
  #log = ''
  #failed = false

  constructor(job: Job, event: Event, hub: GitHub) {
    this.#job = job
    this.#event = event
    this.#hub = hub
  }

  async run(needs: Readonly<Record<string, JobResult>>): Promise<JobResult> {
    const needed = [this.#job.needs ?? []].flat()
    const failed = needed.some(id => needs[id]?.result !== 'success')
    const contexts = { ...this.#contexts(), needs }
    if (!holds(this.#job.if, contexts, failed)) {
      return { result: 'skipped', outputs: {}, log: '', summary: '', given: {} }
    }
    mkdirSync(this.#workspace)
    mkdirSync(this.#temp)
    for (const step of this.#job.steps ?? []) {
      if (holds(step.if, { ...contexts, steps: this.#steps }, this.#failed)) {
        const isFine = await this.#step(step, { ...contexts, steps: this.#steps })
        if (!isFine && step['continue-on-error'] !== true) this.#failed = true
      }
    }
    return {
      result: this.#failed ? 'failure' : 'success',
      outputs: this.#valuesOf(this.#job.outputs ?? {}, { ...contexts, steps: this.#steps }),
      log: this.#log,
      summary: this.#file('summary'),
      given: this.#given
    }
  }

  #contexts(): Contexts {
    const { github, inputs, secrets, environments } = this.#event
    const { environment } = this.#job
    const mayEnter = environment !== undefined && github['ref'] === 'refs/heads/main'
    const own = mayEnter ? environments[interpolate(environment, { inputs })] : {}
    const job = { workflow_repository: 'example/wlanctl', workflow_sha: 'c0ffee' }
    const token = `token-of-${String(github['event_name'])}`
    return {
      github: {
        ...github,
        repository: REPOSITORY,
        run_attempt: this.#event.attempt ?? 1,
        token
      },
      inputs,
      secrets: { ...secrets, ...own, github_token: token },
      runner: { temp: this.#temp },
      job
    }
  }

  async #step(step: Step, contexts: Contexts): Promise<boolean> {
    const { uses = '', run } = step
    const settings = this.#valuesOf(step.with ?? {}, contexts)
    if (run !== undefined)
      return this.#run(step, this.#valuesOf(step.env ?? {}, contexts), contexts)
    const [name = ''] = uses.split('@')
    switch (name) {
      case 'actions/checkout':
        return this.#checkOut(settings)
      case 'actions/upload-artifact':
        return this.#upload(settings)
      case 'actions/download-artifact':
        return this.#download(settings)
      case './wlanctl/.github/actions/wlanctl':
        return this.#act(settings)
      default:
        throw new Error(`the walk knows no ${name}`)
    }
  }

  /** Checks out this repository from its files, any other from the event. */
  #checkOut({ repository, path = '' }: Readonly<Record<string, string>>): true {
    const to = join(this.#workspace, path)
    if (repository === undefined) cpSync(this.#event.checkout, to, { recursive: true })
    else symlinkSync(ROOT, to)
    return true
  }

  /** Rejects the upload like GitHub if the run already has an artifact with this name. */
  #upload({ name = '', path = '', overwrite }: Readonly<Record<string, string>>): boolean {
    const { run } = this.#event
    const isThere = existsSync(join(this.#hub.directory, 'artifacts', String(run.id), name))
    if (isThere && overwrite !== 'true') return false
    if (isThere) this.#hub.remove(name, run)
    this.#hub.store(name, path.trim().split(/\s+/), run)
    return true
  }

  #download({ name = '', path = '' }: Readonly<Record<string, string>>): boolean {
    const from = join(this.#hub.directory, 'artifacts', String(this.#event.run.id), name)
    if (existsSync(from)) cpSync(from, path, { recursive: true })
    return existsSync(from)
  }

  /** The action of this repository; in place of an installation it copies the built program. */
  async #act(inputs: Readonly<Record<string, string>>): Promise<boolean> {
    if (this.#event.isRegistryDown) return false
    const modules = join(this.#temp, 'wlanctl/node_modules')
    mkdirSync(modules, { recursive: true })
    symlinkSync(ROOT, join(modules, 'wlanctl'))
    const run = action().runs.steps.find(step => step.if !== undefined)
    if (run === undefined || inputs['command'] === undefined) return true
    return this.#run(run, this.#valuesOf(run.env ?? {}, { inputs }), { inputs })
  }

  async #run(step: Step, env: Record<string, string>, contexts: Contexts): Promise<boolean> {
    this.#given[step.name ?? step.run ?? ''] = env
    const cwd = join(this.#workspace, interpolate(step['working-directory'] ?? '', contexts))
    const output = join(this.#home, `output-${Object.keys(this.#given).length}`)
    writeFileSync(output, '')
    const options = { cwd, env: { ...this.#environment(), ...env, GITHUB_OUTPUT: output } }
    const shell = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run ?? '']
    const { code, stdout, stderr } = await startCommand('bash', shell, options).ended
    this.#log += stdout + stderr
    if (step.id !== undefined) {
      this.#steps[step.id] = { outputs: outputsIn(readFileSync(output, 'utf8')) }
    }
    return code === 0
  }

  #environment(): Record<string, string> {
    const { permissions = {} } = this.#job
    const { most, run } = this.#event
    const given = Object.entries(permissions).map(([scope, level]) => [
      scope,
      most === 'read' ? 'read' : level
    ])
    return {
      ...environment(),
      PATH: `${this.#hub.bin}:${environment()['PATH']}`,
      FAKE_GITHUB: this.#hub.directory,
      FAKE_PERMISSIONS: JSON.stringify(Object.fromEntries(given)),
      GITHUB_EVENT_NAME: String(this.#event.github['event_name'] ?? ''),
      GITHUB_ACTION_PATH: join(ROOT, '.github/actions/wlanctl'),
      GITHUB_REPOSITORY: REPOSITORY,
      GITHUB_RUN_ATTEMPT: String(this.#event.attempt ?? 1),
      GITHUB_RUN_ID: String(run.id),
      GITHUB_SERVER_URL: 'https://github.com',
      GITHUB_STEP_SUMMARY: join(this.#home, 'summary'),
      GITHUB_WORKSPACE: this.#workspace,
      RUNNER_TEMP: this.#temp
    }
  }

  #valuesOf(texts: Readonly<Record<string, unknown>>, contexts: Contexts): Record<string, string> {
    const entries = Object.entries(texts)
    return Object.fromEntries(
      entries.map(([name, text]) => [name, interpolate(String(text), contexts)])
    )
  }

  #file(name: string): string {
    const path = join(this.#home, name)
    return existsSync(path) ? readFileSync(path, 'utf8') : ''
  }
}

/** The outputs in a file of the form `name<<end`, the value, `end`. */
export function outputsIn(text: string): Record<string, string> {
  const outputs = text.matchAll(/^([\w-]+)<<(.+)\n([\s\S]*?)\n?^\2$/gm)
  return Object.fromEntries([...outputs].map(([, name = '', , value = '']) => [name, value]))
}
