import { describe, expect, it } from 'vitest'
import { isInShard } from '../../src/core/model/shard.ts'
import { type Stage, stage } from '../support/stage.ts'

const SITES = [1, 2, 3, 4].map(n => `10000000-0000-4000-8000-00000000000${n}`)
const RULE = 'same-ssid-other-security'
const SHARDS = [1, 2]

const psk = { type: 'psk', psk: 'blue-Horse-7-staple', pairwise: ['wpa2-ccmp'] }

/** The site whose WLAN differs; it is the only one in its shard. */
const LAST = SITES.length - 1

/** The shard of the last site. */
const ofLast = SHARDS.find(number => isInShard(SITES[LAST] ?? '', { number, of: 2 }))

/** A fleet with the same network at all sites; `last` is added to the file of the last site. */
async function fleet(last: object, policy: object = { [RULE]: 'error' }): Promise<Stage> {
  const made = await stage({
    sites: SITES.map((id, at) => ({
      id,
      name: `s${at}`,
      wlans: [
        { id: id.replace('10000000', '20000000'), ssid: 'Corp', enabled: true, dtim: 1, auth: psk }
      ]
    }))
  })
  made.write('fleet/hq.yaml', '')
  for (const [at, id] of SITES.entries()) {
    const wlan = { ssid: 'Corp', ...(at === LAST && last) }
    const site = { site: { id, name: `s${at}` }, wlans: { corp: wlan } }
    made.write(`fleet/${at}.yaml`, JSON.stringify(site, null, 1))
  }
  const others = { 'open-goes-on-the-air': 'off', 'guest-traffic-untagged': 'off' }
  const lint = { rules: { ...others, ...policy } }
  made.write('fleet/policy.yaml', JSON.stringify({ policy: { lint, max_change_percent: 100 } }))
  return made
}

const open = { auth: { type: 'open', owe: 'disabled' } }
const stronger = { auth: { pairwise: ['wpa3'] } }

describe('an SSID that is open at one site and secured at the others, against the policy', () => {
  it('is not judged by a shard, which says so, alone and merged', async () => {
    const { run } = await fleet(stronger)
    const note = `${RULE} (level error) compares WLANs of all sites, and this run leaves some out: --shard`
    for (const number of SHARDS) {
      const { code, stdout } = await run(`plan fleet --shard ${number}/2 --out ${number}.json`)
      expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(note) })
    }
    const { code, stdout } = await run('show 1.json 2.json')
    expect(code).toBe(0)
    expect(stdout.split(note)).toHaveLength(2)
    const applied = await run(`apply fleet --yes --shard ${ofLast}/2 --format json`)
    expect({ code: applied.code, ...JSON.parse(applied.stdout) }).toMatchObject({
      code: 0,
      summary: { applied: 1 },
      findings: expect.arrayContaining([
        expect.objectContaining({ code: 'RELATIONS_NOT_CHECKED', message: note })
      ])
    })
  })
})

it.each([
  ['--site s3', '--site'],
  ['--exclude-site s0 --site s*', '--site, --exclude-site'],
  ['--shard 1/2', '--shard']
])('a partial run reports that the rule compares all sites: %s', async (options, named) => {
  const { run } = await fleet(open)
  for (const command of ['plan', 'validate', 'drift']) {
    const { stdout } = await run(`${command} fleet ${options}`)
    expect(stdout).toContain(`WLANs of all sites, and this run leaves some out: ${named}`)
  }
  expect((await run('plan fleet')).stdout).not.toContain('leaves some out')
  const calm = await fleet(open, {})
  expect((await calm.run(`plan fleet ${options}`)).stdout).not.toContain('leaves some out')
})
