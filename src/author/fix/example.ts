import { lintRulesById } from '../../core/lint/catalogue.ts'
import type { FixExample } from '../../core/model/explanation.ts'
import { applyEdits } from '../../core/values/text.ts'
import type { ValueObject } from '../../core/values/value.ts'
import { parseSource } from '../../fleet/files/read.ts'
import { Source } from '../../fleet/files/source.ts'
import { referencesOnly } from '../../fleet/secrets/source.ts'
import { mapLines } from '../yaml-edit/write.ts'
import { fixFleet } from './fix.ts'

const HEAD = 'site: { id: 00000000-0000-4000-8000-000000000001, name: hq }\nwlans:\n  guest:\n'
const SSID = '    ssid: Guest\n'
const FILE = 'hq.yaml'

/** What `fix` makes of the example of a rule, as YAML of a WLAN; undefined for a rule without a fix. */
export async function fixExample(id: string): Promise<FixExample | undefined> {
  const example = lintRulesById.get(id)?.example
  if (example === undefined) return undefined
  const named = Object.hasOwn(example, 'ssid')
  const fields = mapLines(example, 4).map(line => `${line}\n`)
  const source = new Source(FILE, FILE, HEAD + (named ? '' : SSID) + fields.join(''))
  await parseSource(source)
  const record: ValueObject = { ssid: 'Guest', ...example }
  const editsWith = async (unsafe: boolean, live?: ValueObject) => {
    const wlan = live && { id: 'guest', ssid: String(live['ssid']), record: live, readAt: 0 }
    const { files } = await fixFleet({
      ...{ sources: [source], isSelected: () => true, rules: [id], layer: 'profile' as const },
      ...{ unsafe, liveOf: site => wlan && { site, wlans: [wlan] } },
      ...{ secrets: referencesOnly(), now: new Date() }
    })
    return files[0]?.edits
  }
  const [safe, unsafe] = [await editsWith(false, record), await editsWith(true)]
  const edits = safe ?? unsafe ?? (await editsWith(true, { ssid: record['ssid'] ?? null }))
  const options = safe ? '--live' : unsafe ? '--unsafe' : '--live --unsafe'
  const after = applyEdits(source.text, edits ?? [])
  return {
    command: `wlanctl fix --rule ${id} ${options}`,
    before: ofWlan(source.text),
    after: ofWlan(after)
  }
}

/** The fields of the WLAN, without indentation. */
function ofWlan(text: string): string {
  return text.slice(HEAD.length).replace(SSID, '').replaceAll(/^ {4}/gm, '')
}
