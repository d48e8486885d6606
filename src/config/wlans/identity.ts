import type { DesiredWlan } from '../../model/desired.ts'
import { finding } from '../../model/finding.ts'
import { isUuid } from '../../model/names.ts'
import { wlanField } from '../../schema/field.ts'
import { checkKeys, expectMap } from '../checks/expect.ts'
import { at, atKey } from '../files/source.ts'
import type { LoadContext } from '../load-context.ts'
import { type MapNode, nodeKindOf } from '../yaml/tree.ts'
import { ssidFindings } from './validate.ts'
import type { Values } from './values.ts'

/** What a WLAN's block says about which live WLAN it means, and how careful to be with it. */
export function identityIn(
  block: MapNode,
  values: Values,
  run: LoadContext
): Pick<DesiredWlan, 'id' | 'matchSsid' | 'protect'> {
  const id = idIn(block, values, run)
  const matchSsid = matchIn(block, values, run)
  return {
    ...(id === undefined ? {} : { id }),
    ...(matchSsid === undefined ? {} : { matchSsid }),
    ...(isProtected(block, run) ? { protect: true } : {})
  }
}

function idIn(block: MapNode, values: Values, run: LoadContext): string | undefined {
  const entry = block.entries.get('id')
  const id = entry && values.of(entry.value, wlanField.member('id'))
  if (entry === undefined || id === undefined) return undefined
  if (isUuid(id)) return id
  run.findings.push(finding('ID_NOT_UUID', at(entry.value)))
  return undefined
}

function matchIn(block: MapNode, values: Values, run: LoadContext): string | undefined {
  const entry = block.entries.get('$match')
  if (entry === undefined) return undefined
  const match = expectMap(entry.value, run.findings)
  if (match !== undefined) checkKeys(match, ['ssid'], run.findings)
  const ssid = match?.entries.get('ssid')?.value
  if (ssid === undefined) {
    run.findings.push(finding('MATCH_WITHOUT_SSID', atKey(entry)))
    return undefined
  }
  const text = values.of(ssid, wlanField.member('ssid'))
  if (typeof text === 'string') {
    run.findings.pushAll(ssidFindings(text, at(ssid)))
    return text
  }
  if (text !== undefined) {
    run.findings.push(finding('WRONG_TYPE', at(ssid), 'a text', nodeKindOf(ssid)))
  }
  return undefined
}

function isProtected(block: MapNode, run: LoadContext): boolean {
  const value = block.entries.get('$protect')?.value
  if (value === undefined) return false
  if (value.kind === 'scalar' && typeof value.value === 'boolean') return value.value
  run.findings.push(finding('WRONG_TYPE', at(value), 'true or false', nodeKindOf(value)))
  return false
}
