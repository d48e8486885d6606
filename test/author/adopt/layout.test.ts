import { describe, expect, it } from 'vitest'
import { adoptionFormats } from '../../../src/report/commands/results.ts'
import { HQ } from '../../support/ids.ts'
import { adopted } from './adopted.ts'

const written = `# The head office.  Ask Ann before you touch it.
site: {id: ${HQ}, name: hq,   vars: {guest: 40}}   # one line

profiles:
  base: &base
    dtim:        2      # as everywhere
    isolation:   true

wlans:
  corp:
    $extends:    base
    ssid:        "Corp"   # never rename
    vlan_id:     &staff 20


    bands:     # no 6 GHz yet
      - "24"   # for the scanners
      - "5"
  guest:
    $extends: base
    ssid: 'Guest'
    vlan_id: { $var: guest }   # the routers know it
    portal: { enabled: true, privacy: false,   forward: true }
    max_idletime: 300
  staff: { ssid: Staff, vlan_id: *staff }
`

const live = {
  corp: { vlan_id: 21, bands: ['24', '5', '6'], dtim: 3, isolation: true },
  guest: {
    vlan_id: 41,
    portal: { enabled: true, privacy: true, forward: true },
    dtim: 2,
    isolation: true,
    max_idletime: 300
  },
  staff: { vlan_id: 20 }
}

const records = Object.entries(live).map(([key, fields], at) => ({
  id: `7d6f1c5e-0000-4000-8000-00000000000${at}`,
  site_id: HQ,
  ssid: `${key[0]?.toUpperCase()}${key.slice(1)}`,
  ...fields
}))

/** Adopts all live values in a file. */
async function adoptedIn(text: string) {
  const { adoption, after } = await adopted(new Map([['hq.yaml', text]]), new Map([[HQ, records]]))
  return { adoption, after: after.get('hq.yaml') }
}

describe('a carefully formatted file', () => {
  const replacements: readonly (readonly [string, string])[] = [
    ['vars: {guest: 40}}', 'vars: {guest: 41}}'],
    ['      - "5"\n', '      - "5"\n      - "6"\n    dtim: 3\n'],
    ['privacy: false,   forward', 'privacy: true,   forward']
  ]
  const expected = replacements.reduce((text, [old, new_]) => text.replace(old, new_), written)

  it.each(['\n', '\r\n'])('keeps every byte that is not adopted (line end %j)', async eol => {
    const { adoption, after } = await adoptedIn(written.replaceAll('\n', eol))
    expect(after).toBe(expected.replaceAll('\n', eol))
    expect(
      adoption.adopted.map(({ address, pointer, layer }) => `${address} ${pointer}: ${layer}`)
    ).toEqual([
      'hq/corp /bands: the block of hq/corp',
      'hq/corp /dtim: the block of hq/corp',
      'hq/guest /portal/privacy: the block of hq/guest',
      'hq/guest /vlan_id: variable guest of hq'
    ])
    expect(adoption.left).toEqual([
      {
        address: 'hq/corp',
        pointer: '/vlan_id',
        reason: expect.stringContaining('1 other WLAN reads it from the same place')
      }
    ])
  })

  it('prints each reason once, within the terminal width', () => {
    const fields = ['s1/guest', 's2/guest'].map(address => ({ address, pointer: '/vlan_id' }))
    const reason = '3 other WLANs read it from the same place: make it a variable'
    const adoption = { files: [], adopted: [], left: fields.map(each => ({ ...each, reason })) }
    expect(adoptionFormats().text(adoption, { colour: false, width: 40 })).toBe(
      'Not adopted (2)\n' +
        '  s1/guest  vlan_id  3 other WLANs read\n' +
        '  s2/guest  vlan_id  it from the same\n' +
        '                     place: make it a\n' +
        '                     variable\n\nNothing can be adopted\n'
    )
  })

  it('is shown as a unified diff', async () => {
    const { adoption } = await adoptedIn(written)
    expect(adoptionFormats().text(adoption, { colour: false, width: 80 })).toMatchInlineSnapshot(`
      "--- hq.yaml
      +++ hq.yaml
      @@ -1,4 +1,4 @@
       # (hidden)
      -site: {id: 4ac1dcf4-9d8b-4211-95c4-057819f0862b, name: hq,   vars: {guest: 40}}   # (hidden)
      +site: {id: 4ac1dcf4-9d8b-4211-95c4-057819f0862b, name: hq,   vars: {guest: 41}}   # (hidden)
       
       profiles:
      @@ -17,9 +17,11 @@
             - "24"   # (hidden)
             - "5"
      +      - "6"
      +    dtim: 3
         guest:
           $extends: base
           ssid: 'Guest'
           vlan_id: { $var: guest }   # (hidden)
      -    portal: { enabled: true, privacy: false,   forward: true }
      +    portal: { enabled: true, privacy: true,   forward: true }
           max_idletime: 300
         staff: { ssid: Staff, vlan_id: (hidden) }

      To adopt (4)
        hq/corp   bands           in the block of hq/corp
        hq/corp   dtim            in the block of hq/corp
        hq/guest  portal.privacy  in the block of hq/guest
        hq/guest  vlan_id         in variable guest of hq

      Not adopted (1)
        hq/corp  vlan_id  1 other WLAN reads it from the same place: edit it there for
                          all, or use a variable

      Adopt: 4 fields of 2 WLANs in 1 file; 1 not adopted
      "
    `)
  })
})
