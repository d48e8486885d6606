import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { ROOT } from '../../support/program.ts'

export interface Step {
  readonly name?: string
  readonly uses?: string
  readonly with?: Readonly<Record<string, string | boolean | number>>
  readonly run?: string
  readonly env?: Readonly<Record<string, string>>
}

export interface Job {
  readonly needs?: string | readonly string[]
  readonly environment?: string
  readonly concurrency?: object
  readonly permissions?: Readonly<Record<string, string>>
  readonly 'timeout-minutes'?: number | string
  readonly steps?: readonly Step[]
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>
  readonly permissions?: Readonly<Record<string, string>>
  readonly jobs: Readonly<Record<string, Job>>
}

/** Reads a file of this repository. */
export function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8')
}

/** The files of a folder, below the root of the repository. */
export function filesIn(directory: string, pattern: RegExp): string[] {
  return readdirSync(join(ROOT, directory), { recursive: true, encoding: 'utf8' })
    .filter(name => pattern.test(name))
    .map(name => `${directory}/${name}`)
    .sort()
}

export function workflowIn(path: string): Workflow {
  return parse(read(path))
}

export function workflow(name: string): Workflow {
  return workflowIn(`.github/workflows/${name}.yml`)
}
