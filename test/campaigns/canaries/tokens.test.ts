import { afterEach, describe, expect, it } from 'vitest'
import { Scanner } from '../../support/scanner.ts'
import { expectUnpolluted } from '../unpolluted.ts'
import { site, TOKEN } from './secrets.ts'
import { trial } from './trial.ts'

afterEach(expectUnpolluted)

describe('the embedded service prints no secret', () => {
  it('simulate', async () => {
    const made = await trial()
    const seed = made.write('seed.json', JSON.stringify({ sites: [site] }))
    const running = made.startBuilt(`simulate --seed ${seed}`)
    await running.until(/Ctrl-C ends it/)
    running.signal('SIGINT')
    expect(made.leaks(await running.ended)).toEqual([])
    const wrong = made.write('seed.json', JSON.stringify({ sites: [{ ...site, id: TOKEN }] }))
    expect(made.leaks(await made.run(`simulate --seed ${wrong}`))).toEqual([])
  })

  it('demo, schema, completion and help, in an environment full of them', async () => {
    const made = await trial()
    const lines = ['demo', 'schema wlan', 'completion bash', '--help', 'nonsense', 'plan --help']
    const ended = await Promise.all(lines.map(line => made.run(line)))
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0, 0, 3, 0])
    expect(made.leaks(...ended)).toEqual([])
    const psk = { name: 'the key of the demo', value: 'welcome-to-the-lobby' }
    expect(new Scanner([psk]).scan({ demo: ended[0]?.stdout ?? '' })).toEqual([])
  })
})
