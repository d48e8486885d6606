import { expect, it } from 'vitest'
import { nth } from '../support/ids.ts'
import { stage } from '../support/stage.ts'

const numbers = [1, 2, 3, 4, 5, 6, 7]
const site = (n: number) => nth(100 + n)
const iot = { ssid: 'IoT', auth: { type: 'psk', psk: 'planted-key-of-things' }, dtim: 2 }
const staff = { ssid: 'Staff', auth: { type: 'eap', pairwise: ['wpa2-ccmp'] }, isolation: false }

/** Seven sites: IoT is open at six of them and differs at all, and the way back of Staff at one is a downgrade. */
async function damaged() {
  const made = await stage({
    sites: numbers.map(n => ({
      id: site(n),
      name: `s${n}`,
      wlans: [
        { id: nth(10 * n), ...iot, dtim: 3, ...(n < 7 && { auth: { type: 'open' } }) },
        { id: nth(10 * n + 1), ...staff, ...(n === 2 && { isolation: true, enabled: false }) }
      ]
    }))
  })
  const fields = (wlan: object) => JSON.stringify({ enabled: true, ...wlan })
  const sites = numbers.map(n => `  - { id: ${site(n)}, name: s${n} }`).join('\n')
  const things = { ...iot, auth: { type: 'psk', psk: { $env: 'WLAN_SECRET_IOT' } } }
  made.write(
    'own/fleet.yaml',
    `policy: { max_change_percent: 100 }\nsites:\n${sites}\nwlans:\n  iot: ${fields(things)}\n  staff: ${fields(staff)}\n`
  )
  return made
}

const secrets = { WLAN_SECRET_IOT: 'planted-key-of-things' }

const all = ['wlanctl apply own --wlan iot 6+1', 'wlanctl plan own --wlan staff --site s2 1+0']

// A comment has the commands of what its table does not show, and of the worst item.
it.each([
  ['markdown', all.slice(0, 1)],
  ['html', all]
] as const)('each command of an item in %s does what the item says', async (format, expected) => {
  const { run } = await damaged()
  const { stdout } = await run(`drift own --format ${format}`, secrets)
  const shown = stdout.split('<section id="next"')[0] ?? ''
  const text = shown.replaceAll(/(?:<[^>]*>|[`*\s])+/g, ' ').replaceAll('&#39;', "'")
  const items = text.matchAll(
    /at (?:(\d+) sites|s\d)(?:(?! at ).)*?(wlanctl (?:apply|plan) own --wlan \w+(?: --site s\d)*)(?:\W*and (\d+) other)?/g
  )
  const seen: string[] = []
  for (const [, sites = '1', command = '', others = '0'] of items) {
    const { code, stdout: json } = await run(
      `plan ${command.trim().split(' ').slice(2).join(' ')} --format json`,
      secrets
    )
    const plan = JSON.parse(json)
    expect(plan.summary.changed, command).toBe(Number(sites) + Number(others))
    expect(code, command).toBe(command.includes('apply') ? 0 : 4)
    seen.push(`${command.trim()} ${sites}+${others}`)
  }
  expect(seen).toEqual(expected)
})
