import type { Fix, FixEdit, FixResult, LeftFinding } from '../../core/model/fix.ts'
import { compact, groupsBy } from '../../core/values/collections.ts'
import { formatNumber, listFirst, plural } from '../../core/values/text.ts'
import { diffLines } from '../diff.ts'
import { escapeInside, jsonText } from '../escape.ts'
import { formatField, formatValue } from '../fields/format-value.ts'
import { formatTable, joinBlocks, type Style, styleOf, wrapText } from '../layout.ts'
import type { RenderOptions } from '../report.ts'

const MAX_NAMES = 3

/** What `fix` is about to write: the diff of each file, the fixes with their places, and the findings not fixed. */
export function renderFixText(result: FixResult, options: RenderOptions): string {
  const style = styleOf(options)
  const { files, fixes, left } = result
  const blocks = [
    ...files.map(file => diffLines(file, style)),
    fixes.length === 0 ? [] : ['To fix:', ...fixLines(fixes, style, options)],
    left.length === 0 ? [] : [style.warn('Not fixed:'), ...leftLines(left, options)],
    wrapText(verdict(result, style), options.width)
  ]
  return joinBlocks(blocks)
}

/** The result of `fix` as JSON. */
export function renderFixJson({ files, fixes, left }: FixResult): string {
  const data = {
    format: 'wlanctl-fixes/1',
    summary: { files: files.length, fixes: fixes.length, left: left.length },
    files: files.map(({ file }) => file),
    fixes: fixes.map(({ edits, ...fix }) => ({
      ...fix,
      edits: edits.map(({ pointer, value }) =>
        value === undefined ? { pointer, remove: true } : { pointer, value }
      )
    })),
    left
  }
  return jsonText(data)
}

/** `remove auth.owe`, `isolation: true`. */
function formatFixEdits(edits: readonly FixEdit[]): string {
  const removed = edits.filter(({ value }) => value === undefined)
  const names = removed.map(({ pointer }) => formatField(pointer))
  const sets = edits.flatMap(({ pointer, value }) =>
    value === undefined ? [] : `set ${formatField(pointer)} to ${formatValue(value)}`
  )
  if (edits.length === 0) return 'remove it'
  return [...(names.length === 0 ? [] : [`remove ${names.join(', ')}`]), ...sets].join('; ')
}

function fixLines(fixes: readonly Fix[], style: Style, { width }: RenderOptions): string[] {
  return fixes.flatMap(fix => {
    const { rule, edits, layers, addresses, touched, safe, reason, impact } = fix
    const places = listFirst(layers.map(escapeInside), MAX_NAMES)
    const reach = [
      addresses.length === 0 ? places : `${places}: ${reachOf(addresses)}`,
      ...(touched.length === 0 ? [] : [`also changes ${reachOf(touched)}`]),
      ...(safe ? [] : [`not safe: ${unsafeText({ reason: reason ?? '', ...compact({ impact }) })}`])
    ]
    return [
      ...wrapText(`${style.strong(rule)}  ${formatFixEdits(edits)}`, width, '  ', '      '),
      ...reach.flatMap(text => wrapText(text, width, '    '))
    ]
  })
}

/** `hq/guest`; `3 WLANs of 2 sites (a/guest, a/lobby, b/guest)`. */
function reachOf(addresses: readonly string[]): string {
  const names = listFirst(addresses.map(escapeInside), MAX_NAMES)
  if (addresses.length === 1) return names
  const sites = new Set(addresses.map(address => address.split('/')[0])).size
  return `${plural(addresses.length, 'WLAN')} of ${plural(sites, 'site')} (${names})`
}

function unsafeText({ reason, impact }: Pick<LeftFinding, 'reason' | 'impact'>): string {
  return impact === undefined ? reason : `${reason} (${impact})`
}

function leftLines(left: readonly LeftFinding[], { width }: RenderOptions): string[] {
  return groupsBy(left, each => `${each.unsafe} ${unsafeText(each)}`).flatMap(group => {
    const [first] = group
    const reason = `${escapeInside(unsafeText(first))}${first.unsafe ? '; --unsafe makes the fix' : ''}`
    return [
      ...formatTable(
        group.map(({ address, rule }) => [escapeInside(address), rule]),
        width
      ),
      ...wrapText(reason, width, '    ')
    ]
  })
}

function verdict({ files, fixes, left }: FixResult, style: Style): string {
  const rest = left.length === 0 ? '' : style.warn(`; ${formatNumber(left.length)} not fixed`)
  if (fixes.length === 0) {
    return left.length === 0
      ? style.good('Nothing to fix')
      : style.warn('Nothing can be fixed') + rest
  }
  const findings = fixes.reduce(
    (sum, each) => sum + (each.addresses.length || each.layers.length),
    0
  )
  return (
    style.strong(`Fix: ${plural(findings, 'finding')} in ${plural(files.length, 'file')}`) + rest
  )
}
