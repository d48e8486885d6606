import { mapLines } from '../author/yaml-edit/write.ts'
import { explain } from '../core/lint/explain.ts'
import type { DesiredWlan } from '../core/model/desired.ts'
import { steps } from '../core/values/pointer.ts'
import type { Value, ValueObject } from '../core/values/value.ts'
import { escapeJson } from '../report/escape.ts'
import type { RenderOptions } from '../report/report.ts'
import { worksheetText } from '../report/worksheet.ts'
import type { DeclaredWlan, EffectiveForm } from './declared.ts'

/** The effective WLANs as text with a line break at its end; secrets are references. */
export function effectiveWlans(
  wlans: readonly DeclaredWlan[],
  form: EffectiveForm,
  options: RenderOptions
): string {
  if (form === 'worksheet') {
    const worksheets = wlans.map(({ site, wlan: { address, fields } }) => ({
      address,
      site,
      fields
    }))
    return worksheetText(worksheets, describeField, options)
  }
  const blocks = Object.fromEntries(wlans.map(({ wlan }) => [wlan.address, blockOf(wlan)]))
  return form === 'json'
    ? `${escapeJson(JSON.stringify(blocks, null, 2))}\n`
    : `${mapLines(blocks, 0).join('\n')}\n`
}

function blockOf({ id, matchSsid, protect, managed, fields }: DesiredWlan): ValueObject {
  const block: Record<string, Value> = {
    ...(id !== undefined && { id }),
    ...(matchSsid !== undefined && { $match: { ssid: matchSsid } }),
    ...(protect && { $protect: true }),
    ...(managed === false && { $managed: false })
  }
  return { ...block, ...fields }
}

function describeField(pointer: string): string {
  const explanation = explain(steps(pointer).join('.'))
  if (explanation?.kind !== 'field') return ''
  return /^.*?(?=[.;](?:\s|$)|$)/s.exec(explanation.field.description)?.[0] ?? ''
}
