import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { interleaved, median, PROGRAM } from './measure.js'
import { megabytesOf } from './table.js'

const SITES = 10_000
const WLANS = 5
const NIGHTS = 90
const EDITS = 10
const ROUNDS = 3

/** The columns of the bench of states. */
export const statesHead = ['estate in Git', 'value', 'at most', 'MB']

/**
 * Measures a snapshot folder in Git of 10,000 sites over 90 nights of ten edits: its size, `diff` of two nights, and `list`
 * of one.
 * @param {string} folder
 */
export async function benchStates(folder) {
  const repository = join(folder, 'estate-in-git')
  mkdirSync(join(repository, 'estate'), { recursive: true })
  const git = (/** @type {readonly string[]} */ ...words) =>
    execFileSync('git', words, { cwd: repository, stdio: ['ignore', 'pipe', 'inherit'] })
  git('init', '--quiet', '--initial-branch=main')
  await importNights(repository)
  git('repack', '-a', '-d', '-f', '--quiet')
  const objects = join(repository, '.git/objects/pack')
  const bytes = readdirSync(objects).reduce(
    (sum, name) => sum + statSync(join(objects, name)).size,
    0
  )
  const program = (/** @type {readonly string[]} */ ...words) => ({
    args: [PROGRAM, ...words],
    cwd: repository
  })
  git('worktree', 'add', '--quiet', '--detach', 'before', 'main~1')
  git('reset', '--quiet', '--hard', 'main')
  const [diff = [], list = []] = await interleaved(ROUNDS, () => [
    { ...program('diff', 'before/estate', 'estate'), status: 2 },
    program('list', '--against', 'estate', '--where', 'auth.type=open')
  ])
  const row = (
    /** @type {string} */ name,
    /** @type {readonly import('./measure.js').Measurement[]} */ runs
  ) => [
    name,
    `${median(runs.map(run => run.seconds)).toFixed(2)} s`,
    '3 s',
    megabytesOf(runs).toFixed(0)
  ]
  return [
    ['packed', `${(bytes / 1e6).toFixed(1)} MB`, '100 MB', ''],
    row('`diff` of two nights', diff),
    row('`list --where` of a night', list)
  ]
}

/** @param {string} repository */
async function importNights(repository) {
  const child = spawn('git', ['fast-import', '--quiet'], {
    cwd: repository,
    stdio: ['pipe', 'inherit', 'inherit']
  })
  const write = async (/** @type {string} */ text) => {
    if (!child.stdin.write(text)) await once(child.stdin, 'drain')
  }
  const vlans = Array.from({ length: SITES }, () => Array.from({ length: WLANS }, () => 10))
  let random = 1
  const next = (/** @type {number} */ bound) => {
    random = (random * 48_271) % 2_147_483_647
    return random % bound
  }
  for (let night = 0; night < NIGHTS; night += 1) {
    const time = 1_790_000_000 + night * 86_400
    await write(
      `commit refs/heads/main\ncommitter Bench <bench@localhost> ${time} +0000\ndata 5\nNight\n`
    )
    const edited = night === 0 ? vlans.keys() : Array.from({ length: EDITS }, () => next(SITES))
    for (const site of edited) {
      const wlan = next(WLANS)
      if (night > 0) vlans[site][wlan] += 1
      const text = fileOf(site, vlans[site])
      await write(`M 100644 inline estate/site-${site}.json\ndata ${text.length}\n${text}\n`)
    }
  }
  child.stdin.end()
  await once(child, 'exit')
}

/**
 * The file of a site with five networks, in the form of `snapshot --into`.
 * @param {number} site
 * @param {readonly number[]} vlans
 */
function fileOf(site, vlans) {
  const idOf = (/** @type {number} */ number) =>
    `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
  const records = vlans.map((vlan, at) => [idOf(site * 100 + at), recordOf(site, at, vlan)])
  const file = {
    format: 'wlanctl-site/1',
    base_url: 'https://api.example.com',
    id: idOf(900_000_000 + site),
    name: `site-${site}`,
    wlans: Object.fromEntries(records)
  }
  // A list of plain values stands on one line.
  const text = JSON.stringify(file, null, 2).replace(/\[\s+([^[\]{}]*?)\s+\]/g, list =>
    JSON.stringify(JSON.parse(list))
  )
  return `${text}\n`
}

/**
 * A record of about 2 kB.
 * @param {number} site
 * @param {number} at
 * @param {number} vlan
 */
function recordOf(site, at, vlan) {
  const off = { enabled: false, others: [], services: [] }
  const servers = [{ host: `10.${site % 250}.0.5`, port: 1812, secret: '(secret)' }]
  const record = {
    ...{ acct_servers: servers, app_limit: { apps: off, enabled: false }, apply_to: 'site' },
    ...{ auth: { pairwise: ['wpa2-ccmp', 'wpa3'], type: 'eap' }, auth_servers: servers },
    ...{ bands: ['24', '5'], bonjour: off, enabled: true, hotspot20: off, portal: off },
    ...{ radsec: off, rateset: { 24: { template: 'compatible' } }, schedule: off },
    ...{ ssid: `Network ${at}`, vlan_enabled: true, vlan_id: vlan }
  }
  for (let field = 0; field < 40; field += 1) {
    Object.assign(record, { [`field_of_the_service_${field}`]: field % 2 === 0 })
  }
  return record
}
