import { describe, expect, it } from 'vitest'
import { compiled } from '../schemas/schemas.ts'
import { CORP, corp, GUEST, guest, HQ } from '../simulator/simulate.ts'
import { nth } from '../support/ids.ts'
import { type Stage, stage } from '../support/stage.ts'

const LAB = '5ac1dcf4-9d8b-4211-95c4-057819f0862b'
const offline = { WLANCTL_BASE_URL: undefined, WLANCTL_API_TOKEN: undefined }
const sites = [
  { id: HQ, name: 'hq', wlans: [corp, guest] },
  { id: LAB, name: 'lab', wlans: [{ ...guest, id: nth(7), site_id: LAB }] }
]

/** A stage with the estate in the folders `before` and `estate`, and in the file `first.json`. */
async function begun(): Promise<Stage> {
  const made = await stage({ sites })
  made.write(
    'fleet/lab.yaml',
    `site: { id: ${LAB}, name: lab }\nwlans:\n  guest: { ssid: Guest }\n`
  )
  await made.run('snapshot fleet --into before')
  await made.run('snapshot fleet --into estate')
  await made.run('snapshot fleet --out first.json')
  return made
}

/** The same after edits by hand; the second state is in `estate` and `second.json`. */
async function edited(): Promise<Stage> {
  const made = await begun()
  made.simulator.edit(HQ, CORP, { vlan_id: 77, x_unheard_of: 1 })
  made.simulator.edit(LAB, nth(7), { auth: { type: 'open' } })
  made.simulator.remove(HQ, GUEST)
  await made.run('snapshot fleet --into estate')
  await made.run('snapshot fleet --out second.json')
  return made
}

const conforms = compiled('diff.schema.json')

async function changesOf(made: Stage, words: string, env: object = offline) {
  const { code, stdout, stderr } = await made.run(`diff ${words} --format json`, env as never)
  if (stdout === '') return { code, stderr, changes: [] }
  const diff = JSON.parse(stdout)
  conforms(diff)
  expect(conforms.errors).toBeNull()
  return {
    code,
    stderr,
    changes: diff.changes.map((each: Record<string, unknown>) =>
      [each['kind'], each['address'], each['pointer'], each['before'], each['after']].filter(
        Boolean
      )
    )
  }
}

describe('wlanctl diff', () => {
  it.each([['before estate'], ['first.json second.json']])(
    'shows every field, declared or not, of %s',
    async words => {
      const made = await edited()
      expect(await changesOf(made, words)).toEqual({
        code: 2,
        stderr: '',
        changes: [
          ['changed', 'hq/Corp', '/vlan_id', 20, 77],
          ['changed', 'hq/Corp', '/x_unheard_of', 1],
          ['removed', 'hq/Guest'],
          ['changed', 'lab/Guest', '/auth/psk', '(secret)'],
          ['changed', 'lab/Guest', '/auth/type', 'psk', 'open']
        ]
      })
    }
  )

  it('compares with the live service, and sends nothing', async () => {
    const made = await edited()
    for (const from of ['first.json', 'before']) {
      const live = await changesOf(made, from, {})
      expect(live.changes).toEqual((await changesOf(made, `${from} estate`)).changes)
      expect(live.code).toBe(2)
    }
    expect(await changesOf(made, 'estate', {})).toMatchObject({ code: 0, changes: [] })
    expect((await made.run('diff estate')).stdout).toContain('No network differs')
    expect(new Set(made.methods())).toEqual(new Set(['GET']))
  })

  it('says what it did to people in the past tense', async () => {
    const { stdout } = await (await edited()).run('diff before estate', offline)
    expect(stdout).toContain('Open: anybody gets in (1)')
    expect(stdout).toMatch(
      /lab\/Guest .*\n +clients stayed out until they were reconfigured\n +auth/
    )
    expect(stdout).toMatch(
      /auth\.type +"psk" +→ "open" +\(downgrade\)\n +auth\.psk +\(secret\) +→ \(unset\)/
    )
    expect(stdout).toMatch(/Disappeared \(1\)\n +hq +Guest/)
    expect(stdout).toMatch(/Guest became open.*, and Guest disappeared at hq\n.*Diff: /)
  })

  it('lists the rules that only the later state breaks', async () => {
    const made = await begun()
    made.simulator.edit(HQ, GUEST, { auth: { type: 'wep' } })
    await made.run('snapshot fleet --out second.json')
    made.simulator.edit(HQ, CORP, { auth: { type: 'wep' }, vlan_id: 77 })
    const rulesIn = async (before: string) => {
      const { stdout } = await made.run(`diff ${before} --format json`)
      const { rules } = JSON.parse(stdout)
      return rules.flatMap(({ id, findings }: { id: string; findings: { wlan: string }[] }) =>
        findings.map(({ wlan }) => `${id} ${wlan}`)
      )
    }
    expect(await rulesIn('first.json')).toEqual(['broken-cipher Corp', 'broken-cipher Guest'])
    expect(await rulesIn('second.json')).toEqual(['broken-cipher Corp'])
    const { stdout } = await made.run('diff second.json')
    expect(stdout).toContain('Newly broken rules (1)')
  })

  it('lists sites that appeared, disappeared, or have another name', async () => {
    const made = await begun()
    made.write('fleet/hq.yaml', made.read('fleet/hq.yaml').replace('name: hq', 'name: office'))
    made.write('fleet/lab.yaml', '')
    await made.run('snapshot fleet --into estate')
    const there = await made.run('diff before estate', offline)
    expect(there).toMatchObject({ code: 2 })
    expect(there.stdout).toMatch(/Disappeared \(1\)\n +lab +Guest/)
    expect(there.stdout).toContain('1 site disappeared: lab')
    expect(there.stdout).toContain('1 site has another name: hq is office now')
    const back = await made.run('diff estate before', offline)
    expect(back.stdout).toContain('1 site appeared: lab')
  })

  it('says which sites could not be read, and compares no guess of them', async () => {
    const made = await begun()
    made.simulator.edit(HQ, CORP, { vlan_id: 77 })
    made.simulator.set({
      fail: [{ path: `/sites/${LAB}/wlans`, answer: { status: 403 } }]
    } as never)
    const { code, stdout } = await made.run('diff first.json --max-attempts 1')
    expect(stdout).toContain('Incomplete: 1 site not read.')
    expect({ code, isTold: stdout.includes('Disappeared') }).toEqual({ code: 5, isTold: false })
  })

  it.each([
    ['--site lab', ['lab/Guest']],
    ['--exclude-site lab', ['hq/Corp', 'hq/Guest']],
    ['--shard 2/2', ['lab/Guest']],
    ['--wlan */Guest', ['hq/Guest', 'lab/Guest']]
  ])('narrows with %s', async (selection, expected) => {
    const { changes } = await changesOf(await edited(), `first.json estate ${selection}`)
    expect([...new Set(changes.map(([, address]: unknown[]) => address))]).toEqual(expected)
  })
})

it('a comparison without any site that could be read is incomplete, first of all', async () => {
  const made = await begun()
  const { code, stdout } = await made.run('diff first.json', { WLANCTL_API_TOKEN: 'wrong' })
  expect(code).toBe(5)
  expect(stdout).toMatch(
    /\nIncomplete: 2 sites not read\. Diff: Nothing was compared, from first\.json /
  )
  expect(stdout).not.toContain('No network differs')
})
