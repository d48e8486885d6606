import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { WLANS } from './fleet/sites.js'
import { PROGRAM } from './measure.js'

/** Clock ticks of Linux in a second. */
const TICKS = 100

/** Milliseconds before each answer. */
export const LATENCY = 20

/** @typedef {Awaited<ReturnType<typeof startService>>} Service */

/**
 * Starts the simulator in a process of its own.
 * @param {number} sites how many it has
 */
export async function startService(sites) {
  const size = ['--sites', String(sites), '--wlans', String(WLANS)]
  const service = spawn(
    process.execPath,
    [PROGRAM, 'simulate', ...size, '--switch', `latency=${LATENCY}`],
    { stdio: ['ignore', 'pipe', 'inherit'] }
  )
  const [greeting] = await once(service.stdout.setEncoding('utf8'), 'data')
  const env = {
    WLANCTL_BASE_URL: /WLANCTL_BASE_URL=(\S+)/.exec(greeting)[1],
    WLANCTL_API_TOKEN: /WLANCTL_API_TOKEN=(\S+)/.exec(greeting)[1]
  }
  const serviceCpu = () => cpuOf(service.pid)
  return {
    /**
     * The program, with so many connections.
     * @param {number} parallelism
     * @param {readonly string[]} words
     */
    program: (parallelism, ...words) => ({
      args: [PROGRAM, ...words, '--parallelism', String(parallelism)],
      env,
      serviceCpu
    }),
    /**
     * A bare loop, with so many connections.
     * @param {number} parallelism
     * @param {string} script
     * @param {readonly string[]} words
     */
    floor: (parallelism, script, ...words) => ({
      args: [join(import.meta.dirname, 'floor', script), String(parallelism), ...words],
      env,
      serviceCpu
    }),
    stop: () => void service.kill()
  }
}

/**
 * Seconds of a core that a process has taken so far; nothing where there is no /proc.
 * @param {number | undefined} pid
 */
function cpuOf(pid) {
  if (process.platform !== 'linux') return Number.NaN
  const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
  const fields = rest.split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS
}
