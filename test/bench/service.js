import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { WLANS } from './fleet/sites.js'
import { PROGRAM } from './measure.js'

/** Clock ticks of Linux per second. */
const TICKS = 100

/** The delay of each response in milliseconds. */
export const LATENCY = 20

/** @typedef {Awaited<ReturnType<typeof startService>>} Service */

/**
 * Starts the simulator in its own process.
 * @param {number | { readonly sites: unknown }} sites how many it has, or its sites
 */
export async function startService(sites) {
  const seed = join(mkdtempSync(join(tmpdir(), 'wlanctl-bench-')), 'seed.json')
  const own = typeof sites === 'number' ? { sites, wlans: WLANS } : sites
  writeFileSync(seed, JSON.stringify({ ...own, switches: { latency: LATENCY } }))
  const service = spawn(process.execPath, [PROGRAM, 'simulate', '--seed', seed], {
    stdio: ['ignore', 'pipe', 'inherit']
  })
  const [greeting] = await once(service.stdout.setEncoding('utf8'), 'data')
  rmSync(dirname(seed), { recursive: true })
  const env = {
    WLANCTL_BASE_URL: /WLANCTL_BASE_URL=(\S+)/.exec(greeting)[1],
    WLANCTL_API_TOKEN: /WLANCTL_API_TOKEN=(\S+)/.exec(greeting)[1]
  }
  const serviceCpu = () => cpuOf(service.pid)
  return {
    /**
     * Runs the program with a number of connections.
     * @param {number} parallelism
     * @param {readonly string[]} args
     */
    program: (parallelism, ...args) => ({
      args: [PROGRAM, ...args, '--parallelism', String(parallelism)],
      env,
      serviceCpu
    }),
    /**
     * Runs a bare loop with a number of connections.
     * @param {number} parallelism
     * @param {string} script
     * @param {readonly string[]} args
     */
    floor: (parallelism, script, ...args) => ({
      args: [join(import.meta.dirname, 'floor', script), String(parallelism), ...args],
      env,
      serviceCpu
    }),
    stop: () => void service.kill()
  }
}

/**
 * The CPU seconds of a process so far; 0 without /proc.
 * @param {number | undefined} pid
 */
function cpuOf(pid) {
  if (process.platform !== 'linux') return Number.NaN
  const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
  const fields = rest.split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS
}
