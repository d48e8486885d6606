import { describe, expect, it } from 'vitest'
import { CORP, GUEST, HQ } from '../simulator/simulate.ts'
import { stage } from '../support/stage.ts'

const OPEN = `site: { id: ${HQ}, name: hq }
wlans:
  corp: { ssid: Corp, vlan_id: 20 }
`

/** A fleet that declares a VLAN and little else. */
async function open(policy = '') {
  const made = await stage()
  made.write('open/hq.yaml', OPEN)
  if (policy !== '') made.write('open/wlanctl.yaml', `policy: ${policy}\n`)
  return made
}

const NOTE = '19 guard fields on 1 WLAN are not declared: changes to them go unnoticed'

describe('undeclared guard fields', () => {
  it.each(['plan', 'drift'])(
    '%s counts them in one line, and lists them with --verbose',
    async command => {
      const { run } = await open()
      const { code, stdout } = await run(`${command} open`)
      expect(code).toBe(0)
      expect(stdout).toContain(`${NOTE}\n`)
      expect(stdout).not.toContain('auth.pairwise')
      const verbose = await run(`${command} open --verbose`)
      expect(verbose.stdout).toContain('  hq/corp  auth.type, auth.pairwise, ')
    }
  )

  it.each(['text', 'markdown', 'summary', 'html', 'github'])(
    '%s contains the line',
    async format => {
      const { run } = await open()
      expect((await run(`plan open --format ${format}`)).stdout).toContain(NOTE)
    }
  )

  it('are listed in JSON, in the HTML report, and in Markdown with --verbose', async () => {
    const { run, write } = await open()
    const json = await run('plan open --format json')
    const [first] = JSON.parse(json.stdout).unwatched
    expect(first).toMatchObject({
      address: 'hq/corp',
      pointers: expect.arrayContaining(['/isolation'])
    })
    expect((await run('plan open --format html')).stdout).toContain(
      '<code>hq/corp</code> auth.type'
    )
    const markdown = await run('plan open --format markdown --verbose')
    expect(markdown.stdout).toContain('1 WLAN with guard fields that are not declared')
    expect((await run('plan open --format markdown')).stdout).not.toContain('Guard fields that')
    write('plan.json', json.stdout)
    expect((await run('show plan.json')).stdout).toContain(NOTE)
  })

  it('are ignored if the policy says so', async () => {
    const { run } = await open('{ unwatched: ignore }')
    expect((await run('plan open')).stdout).not.toContain('guard field')
    expect(JSON.parse((await run('plan open --format json')).stdout)).not.toHaveProperty(
      'unwatched'
    )
  })

  it.each(['plan open', 'drift open', 'apply open --yes'])(
    'are an error if the policy says so: %s',
    async line => {
      const { run, methods } = await open('{ unwatched: error }')
      const { code, stdout, stderr } = await run(line)
      expect(code).toBe(4)
      expect(stdout + stderr).toContain('hq/corp (/auth/type, /auth/pairwise, ')
      expect(methods()).not.toContain('PUT')
    }
  )
})

describe('drift --since a snapshot', () => {
  it.each([
    ['text', /isolation.*false → true/],
    ['markdown', /isolation.*false → true/],
    ['summary', /isolation.*false → true/],
    ['html', /isolation.*false → true/],
    ['github', /isolation.*false → true/],
    ['json', /"UNWATCHED_CHANGED"/],
    ['junit', /isolation.*false → true/]
  ])('reports each guard field that changed, as %s', async (format, expected) => {
    const { run, simulator } = await open()
    expect((await run('snapshot open --out before.json')).code).toBe(0)
    const before = await run('drift open --since before.json')
    expect(before).toMatchObject({ code: 0 })
    expect(before.stdout).toContain('No drift')
    simulator.edit(HQ, CORP, { isolation: true, dtim: 3 })
    const { code, stdout } = await run(`drift open --since before.json --format ${format}`)
    expect(code).toBe(2)
    expect(stdout).toMatch(expected)
    expect(stdout).not.toContain('dtim')
    if (format === 'text') expect(stdout).toMatch(/\nDrift: 1 undeclared guard field changed\n$/)
  })

  it('combines declared and undeclared fields in one verdict', async () => {
    const { run, simulator } = await open()
    await run('snapshot open --out before.json')
    simulator.edit(HQ, CORP, { isolation: true, vlan_id: 30 })
    const { code, stdout } = await run('drift open --since before.json')
    expect(code).toBe(2)
    expect(stdout).toMatch(/\nDrift: 1 of 1 WLAN .*; 1 undeclared guard field changed\n$/)
  })

  it('ignores fields that the service maintains', async () => {
    const { run, simulator } = await open()
    await run('snapshot open --out before.json')
    simulator.edit(HQ, CORP, {
      isolation: false,
      hide_ssid: null,
      modified_time: 99,
      bands: ['6', '5', '24']
    })
    expect(await run('drift open --since before.json')).toMatchObject({ code: 0 })
  })

  it('makes no claim if the earlier file is a plan', async () => {
    const { run, simulator } = await open()
    await run('drift open --report json=before.json')
    simulator.edit(HQ, CORP, { isolation: true })
    const { code, stdout } = await run('drift open --since before.json')
    expect(code).toBe(0)
    expect(stdout).toContain('20 guard fields on 1 WLAN are not declared')
  })
})

describe('after an import', () => {
  it.each(['', ' --factor', ' --all-fields', ' --factor --all-fields'])(
    'no guard field is unwatched%s',
    async options => {
      const { run, simulator } = await stage()
      expect((await run(`import ${HQ}${options}`)).code).toBe(0)
      const planned = await run('plan sites --format json')
      expect(JSON.parse(planned.stdout)).toMatchObject({ summary: { changed: 0, unchanged: 2 } })
      expect(JSON.parse(planned.stdout)).not.toHaveProperty('unwatched')
      simulator.edit(HQ, CORP, { enabled: false })
      simulator.edit(HQ, GUEST, { auth: { type: 'open' } })
      const drift = await run('drift sites')
      expect(drift.code).toBe(2)
      expect(drift.stdout).toContain('2 of 2 WLANs differ')
    }
  )
})
