import { describe, expect, it } from 'vitest'
import { CORP, corp, guest } from '../simulator/simulate.ts'
import { HQ } from '../support/ids.ts'
import { afterASecond, type Stage, stage } from '../support/stage.ts'

describe.each([
  ['a record', 'revert r.jsonl fleet --yes --wlan corp'],
  ['a state', 'revert --to estate fleet --yes --wlan corp']
])('a read from before the change that %s undoes', (source, line) => {
  const body = JSON.stringify(corp)
  const SINGLE = `/wlans/${CORP}`
  const stale = { method: 'GET', path: SINGLE, answer: { status: 200, body } } as const

  /** A stage with the change to undo. */
  async function changed(): Promise<Stage> {
    const made = await stage()
    expect(await made.run('snapshot fleet --into estate')).toMatchObject({ code: 0 })
    expect(await made.run('apply fleet --yes --record r.jsonl')).toMatchObject({ code: 0 })
    return made
  }

  const isLive = ({ simulator }: Stage) => simulator.record(HQ, CORP)['vlan_id']

  it.each([
    ['502', 'unknown'],
    ['503', 'failed']
  ] as const)('is no result of an update that ended in %s: %s', async (kind, status) => {
    const made = await changed()
    made.simulator.set({ fail: [{ method: 'PUT', kind }, stale] })
    const { stdout } = await made.run(`${line} --max-attempts 1 --format json`)
    expect(JSON.parse(stdout).outcomes).toMatchObject([{ address: expect.any(String), status }])
    expect(isLive(made)).toBe(21)
  })

  it('is followed by a second update if the first one did not arrive', async () => {
    const made = await changed()
    made.simulator.set({ fail: [{ method: 'PUT', kind: '502' }, stale] })
    expect((await made.run(line)).stdout).toContain('Revert: 1 applied')
    expect(isLive(made)).toBe(20)
  })

  it('does not verify an update that is accepted and not stored', async () => {
    const made = await changed()
    const accepted = { status: 200, body }
    made.simulator.set({ fail: [{ method: 'PUT', answer: accepted }, stale] })
    const { code, stdout } = await made.run(`${line} --verify-timeout 1`)
    expect({ code, stdout }).toEqual({ code: 5, stdout: expect.stringContaining('diverged') })
  })

  it('is not believed when it is read again before the update', async () => {
    const made = await changed()
    const asked = made.startOnScreen(line.replace(' --yes', ''))
    await asked.until(/Enter "yes" to confirm/)
    await afterASecond()
    made.simulator.set({ fail: [stale] })
    asked.type('yes\n')
    expect(await asked.ended).toMatchObject({
      stdout: expect.stringMatching(/applied.* Corp at hq/)
    })
    expect(isLive(made)).toBe(20)
  })

  it('is no doubt about a later one, which is read once', async () => {
    const made = await changed()
    const before = made.methods().length
    expect((await made.run(line)).stdout).toContain('Revert: 1 applied')
    const reads = made.methods().slice(before).join(' ')
    expect(reads).toMatch(/^GET (GET )?PUT GET$/)
  })

  it.skipIf(source === 'a state')(
    'may be the list of the revert of an update with an unknown result',
    async () => {
      const made = await stage()
      const unread = { method: 'GET', path: SINGLE, kind: '503', times: 'always' } as const
      made.simulator.set({ fail: [{ method: 'PUT', kind: '504-landed' }, unread] })
      const applying = 'apply fleet --yes --wlan corp --max-attempts 1 --verify-timeout 1'
      const applied = await made.run(`${applying} --record r.jsonl`)
      expect(applied.stdout).toContain('unknown')
      const list = { method: 'GET', answer: { status: 200, body: JSON.stringify([corp, guest]) } }
      made.simulator.set({ fail: [list] })
      expect((await made.run(line)).stdout).toContain('Revert: 1 applied')
      expect(isLive(made)).toBe(20)
    }
  )
})
