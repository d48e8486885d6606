import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

export const PROGRAM = join(import.meta.dirname, '../../dist/wlanctl.js')
const probe = join(import.meta.dirname, 'probe.cjs')

/**
 * A process to measure: the arguments of `node`, additional environment variables, its directory and its exit
 * code, and the CPU seconds of its service so far.
 * @typedef {object} Run
 * @property {readonly string[]} args
 * @property {string} [command] instead of `node`: writes its memory and CPU seconds to the fourth pipe itself
 * @property {Readonly<Record<string, string>>} [env]
 * @property {string} [cwd]
 * @property {number} [status] its exit code; default: 0
 * @property {() => number} [serviceCpu]
 *
 * The resources of a process from its start to its end, with its peak memory.
 * @typedef {object} Measurement
 * @property {number} seconds
 * @property {number} cpu seconds of a core
 * @property {number} megabytes
 * @property {number} serviceCpu
 */

/**
 * Runs a process to its end. Throws if its exit code is another.
 * @param {Run} run
 * @returns {Promise<Measurement>}
 */
async function measure({ args, command, env, cwd, status = 0, serviceCpu = () => 0 }) {
  const cpu = serviceCpu()
  const start = performance.now()
  const [program, ...more] = command ? [command] : [process.execPath, '--require', probe]
  const child = spawn(program, [...more, ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe']
  })
  const [errors, output] = [textOf(child.stdio[2]), textOf(child.stdio[3])]
  const [code] = await once(child, 'exit')
  const seconds = (performance.now() - start) / 1000
  if (code !== status) throw new Error(`${args.join(' ')} exited with ${code}: ${await errors}`)
  const [megabytes, ownCpu] = (await output).split(' ').map(Number)
  return { seconds, cpu: ownCpu, megabytes, serviceCpu: serviceCpu() - cpu }
}

/** @param {AsyncIterable<Buffer>} stream */
async function textOf(stream) {
  let text = ''
  for await (const chunk of stream) text += chunk
  return text
}

/**
 * Measures several runs in turn, so that other load on the machine affects all of them; before several rounds, one is a
 * warm-up.
 * @param {number} rounds
 * @param {(round: number) => readonly Run[]} runsOf the runs of a round
 * @returns {Promise<readonly (readonly Measurement[])[]>} the measurements of each run by round
 */
export async function interleaved(rounds, runsOf) {
  const all = []
  for (let round = rounds === 1 ? 0 : -1; round < rounds; round += 1) {
    const measurements = []
    for (const run of runsOf(round)) measurements.push(await measure(run))
    if (round >= 0) all.push(measurements)
  }
  return all[0]?.map((_, place) => all.map(measurements => measurements[place])) ?? []
}

/** @param {readonly number[]} numbers */
export function median(numbers) {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]
}
