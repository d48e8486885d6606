import { describe, expect, it } from 'vitest'
import { HQ } from '../simulator/simulate.ts'
import { type Stage, stage } from '../support/stage.ts'

async function applied(): Promise<Stage> {
  const made = await stage()
  made.write('sites.txt', `${HQ} hq\n`)
  await made.run('snapshot fleet --out before.json')
  await made.run('apply fleet --yes --record run.jsonl')
  return made
}

const begins: Readonly<Record<string, RegExp>> = {
  json: /^\{\n/,
  markdown: /^(?:<!-- wlanctl|\| )/,
  html: /^<!doctype html>/,
  github: /^[^<{]/
}

describe.each([
  'doctor fleet',
  'adopt fleet --dry-run',
  'list fleet',
  'diff before.json',
  'audit fleet'
])('%s', command => {
  it('prints every format, and writes it to a file, too', async () => {
    const made = await applied()
    for (const [name, begin] of Object.entries(begins)) {
      const { stdout } = await made.run(`${command} --report ${name}=report --format ${name}`)
      expect(stdout).toMatch(begin)
      expect(made.read('report').split('\n')[0]).toBe(stdout.split('\n')[0])
    }
  })
})

describe('a selection narrows', () => {
  it.each([
    ['audit fleet --wlan corp', /^1 network at 1 site/m],
    ['audit --from sites.txt --wlan Corp', /^1 network at 1 site/m],
    ['import --from sites.txt --out new --wlan Corp', /^\s+new\/\S+\s+1 WLAN$/m],
    ['doctor fleet --wlan corp', /fleet +1 WLAN on 1 site/],
    ['revert run.jsonl fleet --shard 2/2 --dry-run', /covers no sites/]
  ])('%s', async (command, expected) => {
    const { code, stdout } = await (await applied()).run(command)
    expect([0, 2, 5]).toContain(code)
    expect(stdout).toMatch(expected)
  })

  it.each(['audit fleet', 'import --from sites.txt --out other'])('%s', async command => {
    const { code, stderr } = await (await applied()).run(`${command} --wlan absent`)
    expect({ code, stderr }).toMatchObject({ code: 3, stderr: expect.stringContaining('absent') })
  })
})
