import { describe, expect, it, test } from 'vitest'
import { hiddenParts } from '../../../src/author/adopt/hidden-parts.ts'
import { applyEdits } from '../../../src/core/values/text.ts'
import { parseSource } from '../../../src/fleet/files/read.ts'
import { Source } from '../../../src/fleet/files/source.ts'
import { diffLines } from '../../../src/report/diff.ts'
import { styleOf } from '../../../src/report/layout.ts'
import { HQ } from '../../simulator/simulate.ts'
import { PSK, stage } from '../../support/stage.ts'
import { tablesIn } from '../../support/tables.ts'

const SITE = '4ac1dcf4-9d8b-4211-95c4-057819f0862b'

/** The text as `adopt` prints it. */
async function shown(text: string, ...others: readonly string[]): Promise<string> {
  const sources = [text, ...others].map(each => new Source('hq.yaml', 'hq.yaml', each))
  for (const source of sources) await parseSource(source)
  const [source] = sources
  if (source === undefined) throw new Error('there is no source')
  const masks = hiddenParts(sources)(source).map(part => ({ ...part, text: '(hidden)' }))
  return applyEdits(text, masks)
}

const places = tablesIn<Readonly<Record<string, string>>>(import.meta.dirname, 'hidden-parts.yaml')

describe('the printed text of a file', () => {
  test.each(Object.entries(places))('hides a secret in %s', async (_, text) => {
    const out = await shown(text.replace('SITE', SITE).replaceAll('C', 'hunter2-correct'))
    expect(out).not.toContain('hunter2')
    expect(out).toContain('(hidden)')
    expect(out.split('\n')).toHaveLength(text.split('\n').length)
  })

  test('contains only text that is known to be harmless', async () => {
    const text = `site: { id: ${SITE}, name: hq, vars: { vlan: 40, name: x, list: [1, 2] } }
wlans:
  corp:
    $extends: [base, "other"]
    $match: { ssid: Old }
    id: 7d6f1c5e-0000-4000-8000-000000000001
    ssid: { $format: "Store {name}" }
    vlan_id: { $var: vlan }
    vlan_ids: { $var: list }
    bands: ["24", '5']
    auth: { psk: { $env: WLAN_SECRET_A }, type: psk }
    auth_servers:
      - { host: 10.0.0.1, secret: { $file: radius } }
policy: { max_changes: 3, protect: true }
`
    expect(await shown(text)).toBe(text)
  })

  test('hides the uses of a variable in every file', async () => {
    const text = `site: { id: ${SITE}, vars: { a: 1, b: 2 } }\n`
    const plain = 'profiles: { p: { vlan_id: { $var: a }, dtim: { $var: b } } }\n'
    const secret = 'wlans: { w: { auth: { psk: { $var: b } } } }\n'
    expect(await shown(text, plain, secret)).toBe(text.replace('b: 2', 'b: (hidden)'))
  })
})

describe('the diff of an edit', () => {
  it('keeps its lines where comments before, inside and after it are hidden', async () => {
    const text = `wlans:\n  g:\n    # canary-1\n    vlan_id: 3 # canary-2\n    dtim: 2\n    bands:\n      # canary-3\n      - "24"\n`
    const source = new Source('hq.yaml', 'hq.yaml', text)
    await parseSource(source)
    const vlan = text.indexOf('3 #')
    const bands = text.indexOf('      # canary-3')
    const edits = [
      { start: vlan, end: vlan + 1, text: '4' },
      { start: bands, end: text.length, text: '      # canary-3\n      - "5"\n' }
    ]
    const hidden = hiddenParts([source])(source)
    const style = styleOf({ colour: false, width: 80 })
    expect(diffLines({ file: 'hq.yaml', before: text, edits, hidden }, style)).toEqual([
      '--- hq.yaml',
      '+++ hq.yaml',
      '@@ -2,7 +2,7 @@',
      '   g:',
      '     # (hidden)',
      '-    vlan_id: 3 # (hidden)',
      '+    vlan_id: 4 # (hidden)',
      '     dtim: 2',
      '     bands:',
      '       # (hidden)',
      '-      - "24"',
      '+      - "5"'
    ])
  })

  it('of the built program contains no secret of the surrounding lines', async () => {
    const { run, write } = await stage()
    write('fleet/policy.yaml', 'policy: { plaintext_secrets: allow }\n')
    write(
      'fleet/hq.yaml',
      `site: { id: ${HQ}, name: hq, vars: { spare: canary-spare } }
wlans:
  corp:
    # the key was canary-comment
    ssid: Corp
    vlan_id: 21 # canary-behind
    auth: { psk: { $format: "canary-format" } }
`
    )
    const { stdout, stderr } = await run('adopt fleet --field /vlan_id --yes')
    expect(stdout).toContain('-    vlan_id: 21 # (hidden)\n+    vlan_id: 20 # (hidden)\n')
    expect(stdout + stderr).not.toContain('canary')
    expect(stdout + stderr).not.toContain(PSK)
  })
})
