import { expect, it } from 'vitest'
import { repository } from '../support/git.ts'
import { nth } from '../support/ids.ts'
import { stage } from '../support/stage.ts'

const numbers = [1, 2, 3, 4, 5, 6, 7]
const site = (n: number) => nth(100 + n)
const iot = { ssid: 'IoT', auth: { type: 'psk', psk: 'planted-key-of-things' }, dtim: 2 }
const voice = { ssid: 'Voice', auth: { type: 'eap', pairwise: ['wpa3'] } }
const staff = { ssid: 'Staff', auth: { type: 'eap', pairwise: ['wpa2-ccmp'] }, isolation: false }

/**
 * Seven sites: IoT is open at six of them and differs at all, one lacks Voice, and the way back of Staff at one is a
 * downgrade. Staff may be renamed in the files.
 */
async function damaged(isRenamed: boolean) {
  const made = await stage({
    sites: numbers.map(n => ({
      id: site(n),
      name: `s${n}`,
      wlans: [
        { id: nth(10 * n), ...iot, dtim: 3, ...(n < 7 && { auth: { type: 'open' } }) },
        { id: nth(10 * n + 1), ...staff, ...(n === 2 && { isolation: true, enabled: false }) },
        ...(n === 3 ? [] : [{ id: nth(10 * n + 2), ...voice }])
      ]
    }))
  })
  const fields = (wlan: object) => JSON.stringify({ enabled: true, ...wlan })
  const sites = numbers.map(n => `  - { id: ${site(n)}, name: s${n} }`).join('\n')
  const things = { ...iot, auth: { type: 'psk', psk: { $env: 'WLAN_SECRET_IOT' } } }
  const declare = (ssid: string) =>
    made.write(
      'own/fleet.yaml',
      `policy: { max_change_percent: 100 }\nsites:\n${sites}\nwlans:\n  iot: ${fields(things)}\n  staff: ${fields({ ...staff, ssid })}\n  voice: ${fields(voice)}\n`
    )
  declare('Staff')
  if (!isRenamed) return made
  repository(made.cwd)
  declare('Team')
  return made
}

const secrets = { WLAN_SECRET_IOT: 'planted-key-of-things' }

const apply = 'apply own --wlan iot --yes --max-impact outage'

/** Each output, and how many of its commands name a network or sites. */
const outputs = [
  ['plan own', 'html', 9],
  ['plan own', 'markdown', 0],
  ['drift own', 'html', 10],
  ['drift own', 'markdown', 2],
  ['audit own', 'html', 2],
  ['audit own', 'markdown', 2],
  [apply, 'html', 1],
  [apply, 'markdown', 1],
  ['plan own --base HEAD', 'html', 15],
  ['revert run.jsonl own --dry-run', 'html', 7],
  ['revert --to before.json own --dry-run', 'html', 1],
  ['show run.jsonl', 'html', 1],
  ['show run.jsonl', 'markdown', 1],
  ['diff before.json after.json', 'html', 0],
  ['diff before.json after.json', 'markdown', 0]
] as const

/** What a command to copy leads to, without a write. */
function harmless(command: string): string {
  const [name = '', ...words] = command.split(' ').slice(1)
  const isWrite = name === 'revert' || name === 'adopt'
  const hasPlan = /plan|drift|apply|revert/.test(name)
  const ending = [...(isWrite ? ['--dry-run'] : []), ...(hasPlan ? ['--format', 'json'] : [])]
  return [name === 'apply' ? 'plan' : name, ...words, ...ending].join(' ')
}

const plain = (markup: string) =>
  markup.replaceAll(/(?:<[^>]*>|\s)+/g, ' ').replaceAll('&#39;', "'")

/** The commands of a page or comment, with the number of networks or sites that their item says. */
function itemsOf(output: string) {
  const page = output
    .replaceAll(/^> /gm, '')
    .replaceAll(/\*\*(.*?)\*\*/g, '<h3>$1</h3>')
    .replaceAll(/`(wlanctl [^`]*)`([^<`]*)/g, '<div class="command"><code>$1</code>$2</div>')
  let count: number | undefined
  const parts = page.matchAll(/<section|<article|<h3>.*?<\/h3>|<div class="command">.*?<\/div>/gs)
  return [...parts].flatMap(([part]) => {
    if (part === '<section') count = undefined
    else if (part === '<article') count = 1
    else if (part.startsWith('<h3>')) count = Number(/ at (\d+) sites/.exec(plain(part))?.[1] ?? 1)
    else {
      const [, command = ''] = /<code>(.*?)<\/code>/.exec(part) ?? []
      const [, others = 0] = /and (\d+) other/.exec(part) ?? []
      return [{ command: plain(command).trim(), count: count && count + Number(others) }]
    }
    return []
  })
}

it.each(outputs)(
  'each command of %s in %s does what its item says',
  async (line, format, total) => {
    const { run, simulator } = await damaged(line.includes('--base'))
    const env = { ...secrets }
    await run('snapshot own --out before.json', env)
    simulator.edit(site(7), nth(71), { enabled: false })
    simulator.edit(site(7), nth(70), { dtim: 1 })
    await run('snapshot own --out after.json', env)
    const path = `${site(1)}/wlans/${nth(10)}`
    simulator.set({ fail: [{ method: 'PUT', path, times: 'always', answer: { status: 403 } }] })
    if (line.includes('run.jsonl')) await run(`${apply} --record run.jsonl`, env)
    const { stdout } = await run(`${line} --format ${format}`, env)
    let compared = 0
    for (const { count, command } of itemsOf(stdout)) {
      const { code, stdout: result, stderr } = await run(harmless(command), env)
      const refused = command.startsWith('wlanctl apply') ? [] : [4]
      expect([0, 2, ...refused, 5], `${command}: ${stderr}`).toContain(code)
      if (count === undefined || !/ (?:apply|plan|drift|revert) .*--(?:wlan|site) /.test(command))
        continue
      const { summary } = JSON.parse(result)
      const { sites, changed, blocked } = summary
      const shown = { apply: changed, revert: changed, plan: changed + blocked, drift: sites }
      expect(shown[command.split(' ')[1] as keyof typeof shown], command).toBe(count)
      compared += 1
    }
    expect(compared).toBe(total)
  }
)
