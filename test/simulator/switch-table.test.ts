import { describe, expect, it } from 'vitest'
import { readSwitches, switchTable } from '../../src/simulator/switch-table.ts'
import { defaultSwitches, documentedCoupling, type Switches } from '../../src/simulator/switches.ts'

const right: readonly [text: string, switches: Partial<Switches>][] = [
  ['latency=20', { latency: 20 }],
  ['pageSize=3', { pageSize: 3 }],
  ['hiddenSecrets=partly', { hiddenSecrets: 'partly' }],
  ['staleFor=0', { staleFor: 0 }],
  ['merge=on', { merge: true }],
  ['normalise=off', { normalise: false }],
  ['tokenAsList=on', { tokenAsList: true }],
  ['dropFields=/vlan_id,/auth/psk', { dropFields: ['/vlan_id', '/auth/psk'] }],
  ['coupled=on', { coupled: documentedCoupling }],
  ['coupled=off', { coupled: {} }],
  ['editBetween={"ssid":"a=b"}', { editBetween: { ssid: 'a=b' } }],
  ['faults=503=0.1,reset-landed=1', { faults: { '503': 0.1, 'reset-landed': 1 } }],
  ['fail=[{"kind":"cut","method":"PUT"}]', { fail: [{ kind: 'cut', method: 'PUT' }] }],
  ['retryAfter=798', { retryAfter: 798 }],
  ['rateLimit=5000/3600', { rateLimit: { calls: 5000, perSeconds: 3600 } }],
  ['redirectTo=http://127.0.0.1/?a=b', { redirectTo: 'http://127.0.0.1/?a=b' }]
]

const wrong = [
  'latency=-1',
  'latency=x',
  'latency',
  'pageSize=0',
  'hiddenSecrets=yes',
  'merge=1',
  'dropFields=vlan_id',
  'coupled=maybe',
  'editBetween=[]',
  'faults=503',
  'faults=503=2',
  'faults=teapot=0.1',
  'fail={}',
  'fail=[{"kind":"teapot"}]',
  'fail=[7]',
  'rateLimit=5',
  'rateLimit=5/0',
  'rateLimit=5/1/1',
  'redirectTo=nowhere',
  'nothing=1',
  '__proto__=1',
  ''
]

describe('a switch as text', () => {
  it.each(right)('%s', (text, switches) => {
    expect(readSwitches([text])).toEqual(switches)
  })

  it.each(wrong)('refuses %j', text => {
    expect(() => readSwitches([text])).toThrow(expect.objectContaining({ exitCode: 3 }))
  })

  it('may be given several times', () => {
    const texts = ['latency=1', 'merge=on', 'latency=2']
    expect(readSwitches(texts)).toEqual({ latency: 2, merge: true })
    expect(readSwitches([])).toEqual({})
  })

  it('is there for every switch', () => {
    expect(Object.keys(switchTable).sort()).toEqual(Object.keys(defaultSwitches).sort())
  })
})
