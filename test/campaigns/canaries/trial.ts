import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { dirname, join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import {
  type Simulator,
  type SimulatorOptions,
  startSimulator
} from '../../../src/simulator/server.ts'
import { type Ended, folder, type Running, startBuilt, wlanctl } from '../../support/program.ts'
import { type Leak, Scanner } from '../../support/scanner.ts'
import { type Arrival, type Script, type ScriptedServer, serve } from '../../support/server.ts'
import { misplaced } from './requests.ts'
import { FLEET, keyVariables, planted, secretFiles, site, TOKEN } from './secrets.ts'

type Variables = Readonly<Record<string, string | undefined>>

/** A fleet and a service with planted secrets, and the program between them. */
export interface Trial {
  readonly simulator: Simulator
  /** The server in front of the simulator: all requests pass it, and it responds to some. */
  readonly front: ScriptedServer
  /** The input directory; outside of the working directory, so that everything in that is output. */
  readonly inputs: string
  /** Writes an input file; returns its path relative to the working directory. */
  write(file: string, content: string, mode?: number): string
  startBuilt(line: string, change?: Variables): Running
  run(line: string, change?: Variables): Promise<Ended>
  /** Responds to these requests itself. */
  answer(fits: (arrival: Arrival) => boolean, script: Script): void
  /** Every leak in the output and the requests of the runs so far. */
  leaks(...ended: readonly Ended[]): Leak[]
}

const scanner = new Scanner(planted)

/** Sets up a trial of the program. */
export async function trial(options: Partial<SimulatorOptions> = {}): Promise<Trial> {
  const [inputs, cwd] = [folder(), folder()]
  const simulator = await startSimulator({ sites: [site], token: TOKEN, ...options })
  const front = await serve((arrival, response) => void forward(arrival, response, simulator.url))
  onTestFinished(async () => {
    await front.close()
    await simulator.close()
  })
  const write: Trial['write'] = (file, content, mode = 0o600) => {
    const path = join(inputs, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content, { mode })
    return path
  }
  write('fleet/hq.yaml', FLEET)
  for (const [name, text] of Object.entries(secretFiles)) write(`secrets/${name}`, `${text}\n`)
  const env = {
    WLANCTL_BASE_URL: front.url,
    WLANCTL_API_TOKEN: TOKEN,
    WLANCTL_SECRETS_DIR: join(inputs, 'secrets'),
    ...keyVariables
  }
  const wordsOf = (line: string) => line.replaceAll('FLEET', join(inputs, 'fleet')).split(' ')
  const optionsOf = (change: Variables = {}) => ({ cwd, env: present({ ...env, ...change }) })
  return {
    simulator,
    front,
    inputs,
    write,
    startBuilt: (line, change) => startBuilt(wordsOf(line), optionsOf(change)),
    run: (line, change) => wlanctl(wordsOf(line), optionsOf(change)),
    answer: (fits, script) =>
      front.script((arrival, response) => {
        if (fits(arrival)) script(arrival, response)
        else void forward(arrival, response, simulator.url)
      }),
    leaks: (...ended) => {
      const said = ended.map(({ stdout, stderr }, n) => ({
        [`stdout ${n}`]: stdout,
        [`stderr ${n}`]: stderr
      }))
      const outputs: Record<string, string> = Object.assign({}, ...said, filesBelow(cwd))
      return [...scanner.scan(outputs), ...scanner.scan(misplaced(front.arrivals))]
    }
  }
}

/** Runs the program once; expects its exit code and no leak. */
export async function expectSealed(
  made: Trial,
  ended: Ended | Promise<Ended>,
  code: number,
  said: RegExp = /^/
): Promise<void> {
  const { code: found, stdout, stderr } = await ended
  expect({ code: found, output: stdout + stderr }).toEqual({
    code,
    output: expect.stringMatching(said)
  })
  expect(stdout + stderr).not.toContain('this is a bug')
  expect(made.leaks({ code: found, stdout, stderr })).toEqual([])
}

async function forward(arrival: Arrival, response: ServerResponse, url: string): Promise<void> {
  const { method, path, headers, body } = arrival
  const { host: _, connection: __, 'content-length': ___, ...kept } = headers
  try {
    const answer = await fetch(url + path, {
      method,
      headers: kept as Record<string, string>,
      redirect: 'manual',
      ...(method === 'GET' ? {} : { body })
    })
    const text = await answer.text()
    const passed = ['content-type', 'retry-after', 'location'].flatMap(name => {
      const value = answer.headers.get(name)
      return value === null ? [] : [[name, value] as const]
    })
    response.writeHead(answer.status, Object.fromEntries(passed)).end(text)
  } catch {
    response.socket?.resetAndDestroy()
  }
}

function filesBelow(directory: string): Record<string, string> {
  const entries = readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter(name => statSync(join(directory, name)).isFile())
    .map(name => [name, `${name}\n${readFileSync(join(directory, name), 'utf8')}`] as const)
  return Object.fromEntries(entries)
}

function present(variables: Variables): Record<string, string> {
  const entries = Object.entries(variables)
  return Object.fromEntries(entries.flatMap(([k, v]) => (v === undefined ? [] : [[k, v]])))
}
