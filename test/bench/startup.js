// Measures the startup of the program as ratios to an empty Node run, in turn with it. Prints a table without
// checking limits. Run it with `npm run bench`.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { median, PROGRAM as program } from './measure.js'

const ROUNDS = 15
const root = join(import.meta.dirname, '../..')
const fleet = join(root, 'examples/quickstart')

const service = spawn(
  process.execPath,
  [program, 'simulate', '--seed', join(fleet, 'simulator.json')],
  { stdio: ['ignore', 'pipe', 'inherit'] }
)
const [greeting] = await once(service.stdout.setEncoding('utf8'), 'data')
const env = {
  ...process.env,
  WLANCTL_BASE_URL: /WLANCTL_BASE_URL=(\S+)/.exec(greeting)[1],
  WLANCTL_API_TOKEN: /WLANCTL_API_TOKEN=(\S+)/.exec(greeting)[1],
  WLAN_SECRET_GUEST_PSK: 'welcome-to-the-lobby'
}

/** The measured commands with their limits. */
const runs = [
  { name: 'node -e 0', args: ['-e', '0'] },
  { name: 'wlanctl --version', args: [program, '--version'], target: 1.3 },
  { name: 'wlanctl validate', args: [program, 'validate', fleet], target: 1.8 },
  { name: 'wlanctl plan', args: [program, 'plan', fleet], target: 2.5 }
]

const times = runs.map(() => [])
for (let round = -1; round < ROUNDS; round += 1) {
  for (const [place, { name, args }] of runs.entries()) {
    const start = process.hrtime.bigint()
    const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
    const milliseconds = Number(process.hrtime.bigint() - start) / 1e6
    if (status !== 0) throw new Error(`${name} exited with ${status}: ${stderr}`)
    // The first round warms the caches.
    if (round >= 0) times[place].push(milliseconds)
  }
}
service.kill()

const floor = times[0]
console.log(`Start-up on Node ${process.version}, median of ${ROUNDS} rounds\n`)
console.log('| run | ms | ratio to node -e 0 | target |\n|---|---|---|---|')
for (const [place, { name, target }] of runs.entries()) {
  const ratios = times[place].map((time, round) => time / floor[round])
  const cells = [name, median(times[place]).toFixed(0), median(ratios).toFixed(2), target ?? '']
  console.log(`| ${cells.join(' | ')} |`)
}
