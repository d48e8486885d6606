import { createWriteStream } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { CORP, HQ } from '../simulator/simulate.ts'
import { shell } from '../support/program.ts'
import { FLEET, type Stage, stage } from '../support/stage.ts'

/** Runs a line of shell on a stage. */
function lineOf({ cwd, env }: Stage): (line: string) => ReturnType<typeof shell> {
  return line => shell(line, { cwd, env })
}

describe('output streams', () => {
  it('the result goes to stdout, everything else to stderr', async () => {
    const { run } = await stage()
    expect(await run('plan fleet')).toMatchObject({ code: 0, stderr: '' })
    const applied = await run('apply fleet --yes')
    expect(applied.stdout).toBe('applied  Corp at hq\napplied  Guest at hq\n\nApply: 2 applied\n')
    expect(applied.stderr).toContain('Plan: 2 WLANs to change')
    expect(await run('apply fleet --yes --quiet')).toMatchObject({ code: 0, stderr: '' })
  })

  it('the settings of V8 for a large fleet print nothing, whatever the version of Node', async () => {
    const made = await stage()
    const comment = `# ${'a'.repeat(98)}\n`.repeat(1000)
    for (let file = 0; file < 90; file += 1)
      made.write(`fleet/notes-${file}.yaml`, `${comment}profiles: {}\n`)
    expect(await lineOf(made)('wlanctl validate fleet')).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^Next:\n {2}wlanctl plan fleet\n.*\n$/)
    })
  })

  it('--quiet keeps errors', async () => {
    const { run, write } = await stage()
    write('fleet/hq.yaml', FLEET.replace('ssid: Corp', 'ssid: Copr'))
    const { code, stdout, stderr } = await run('apply fleet --yes --quiet')
    expect({ code, stdout }).toEqual({ code: 5, stdout: expect.stringContaining('Guest at hq') })
    expect(stderr).toMatch(/^fleet\/hq\.yaml:3:3: error: .*\[WLAN_NOT_FOUND\]$/m)
    expect(stderr).not.toContain('auth.psk')
  })

  it('--verbose prints each action on stderr as it happens', async () => {
    const { run } = await stage()
    const planned = await run('plan fleet --verbose')
    expect(planned).toMatchObject({ code: 0, stderr: 'hq: 2 WLANs read\n' })
    const { stderr } = await run('apply fleet --yes --verbose')
    expect(stderr).toMatch(/^hq: 2 WLANs read\n.*\nhq\/corp: applied\nhq\/guest: applied\n$/s)
  })
})

describe('output without a reader', () => {
  const lost = {
    code: 1,
    stderr: expect.stringContaining('the output could not be written: ENOSPC')
  }

  it('a closed pipe is no failure', async () => {
    const line = lineOf(await stage())
    const piped = await line('wlanctl schema wlan | head -n 1; echo $PIPESTATUS')
    expect(piped).toEqual({ code: 0, stdout: '{\n0\n', stderr: '' })
    const applied = await line('wlanctl apply fleet --yes --quiet | true; echo $PIPESTATUS')
    expect(applied).toEqual({ code: 0, stdout: '0\n', stderr: '' })
  })

  it('a full disk fails the process, and apply finishes and writes its report', async () => {
    const made = await stage()
    const line = 'wlanctl apply fleet --yes --quiet --report json=r.json >/dev/full'
    const { code, stderr } = await lineOf(made)(line)
    expect({ code, stderr }).toEqual(lost)
    expect(JSON.parse(made.read('r.json'))).toMatchObject({ summary: { applied: 2 } })
    expect(made.simulator.record(HQ, CORP)).toMatchObject({ vlan_id: 21 })
  })

  it.each(['plan fleet', 'token list', 'demo', '--help', '--version'])(
    'a full disk is reported: %s',
    async command => {
      const { run } = await stage()
      const { code, stderr } = await run(
        command,
        {},
        { stdout: createWriteStream('/dev/full').on('error', () => undefined) }
      )
      expect({ code, stderr }).toEqual(lost)
    }
  )

  it('a full or closed stderr does not matter', async () => {
    const made = await stage()
    const line = lineOf(made)
    expect(await line('wlanctl apply fleet --yes 2>/dev/full')).toMatchObject({ code: 0 })
    expect(await line('wlanctl plan fleet 2>&- <&-')).toMatchObject({ code: 0 })
    const stderr = createWriteStream('/dev/full').on('error', () => undefined)
    expect(await made.run('plan nowhere', {}, { stderr })).toMatchObject({ code: 3 })
  })
})
