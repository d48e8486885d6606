import type { AdoptedField, Adoption } from '../../core/model/adoption.ts'
import type { DoctorCheck } from '../../core/model/finding.ts'
import { groupsBy, present } from '../../core/values/collections.ts'
import { fieldName } from '../../core/values/pointer.ts'
import { formatNumber, plural } from '../../core/values/text.ts'
import { diffLines } from '../diff.ts'
import { escapeInside, jsonText } from '../escape.ts'
import { formatTable, joinBlocks, type Style, styleOf, wrapText } from '../layout.ts'
import type { RenderOptions } from '../report.ts'

/**
 * What `adopt` is about to write: the diff of each file, the adopted fields with their places, and the fields
 * not adopted. `unread`: the number of sites that could not be read; `than`: with what the fields are compared.
 */
export function renderAdoptionText(
  adoption: Adoption,
  options: RenderOptions,
  unread = 0,
  than: 'declared' | 'the default' = 'declared'
): string {
  const style = styleOf(options)
  const { width } = options
  const { files, adopted, left } = adoption
  const lessSafe = adopted.flatMap(({ address, pointer, lessSafe: isLess }) =>
    isLess ? { address, pointer } : []
  )
  const blocks = [
    ...files.map(file => diffLines(file, style)),
    titled('To adopt:', fieldTable(width, adopted)),
    // Later plans will not show it.
    titled(style.bad(`Less secure than ${than}:`), fieldTable(width, lessSafe)),
    titled(
      style.warn('Not adopted:'),
      groupsBy(left, ({ reason }) => reason).flatMap(group => [
        ...fieldTable(width, group),
        ...wrapText(escapeInside(group[0].reason), width, '    ')
      ])
    ),
    wrapText(adoptionVerdict(adoption, style, unread), width)
  ]
  return joinBlocks(blocks)
}

export function renderAdoptionJson({ files, adopted, left }: Adoption): string {
  const data = {
    format: 'wlanctl-adoption/1',
    summary: {
      files: files.length,
      adopted: adopted.length,
      left: left.length
    },
    files: files.map(({ file }) => file),
    adopted: adopted.map(({ lessSafe, ...field }) => ({ ...field, less_safe: lessSafe })),
    left
  }
  return jsonText(data)
}

function titled(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [title, ...lines]
}

type Field = Pick<AdoptedField, 'address' | 'pointer'> & Partial<Pick<AdoptedField, 'layer'>>

function fieldTable(width: number, fields: readonly Field[]): string[] {
  const rows = fields.map(({ address, pointer, layer }) =>
    present(address, fieldName(pointer), layer && `in ${layer}`).map(escapeInside)
  )
  return formatTable(rows, width)
}

function adoptionVerdict({ files, adopted, left }: Adoption, style: Style, unread: number): string {
  if (adopted.length === 0) {
    if (left.length > 0) return style.warn('Nothing can be adopted')
    return unread === 0
      ? style.good('Nothing to adopt')
      : style.warn(`Incomplete: ${plural(unread, 'site')} not read. Nothing to adopt at the others`)
  }
  const wlans = new Set(adopted.map(({ address }) => address)).size
  const sum = `${plural(adopted.length, 'field')} of ${plural(wlans, 'WLAN')} in ${plural(files.length, 'file')}`
  const suffix = left.length === 0 ? '' : style.warn(`; ${formatNumber(left.length)} not adopted`)
  return style.strong(`Adopt: ${sum}`) + suffix
}

/**
 * The checks of `doctor`, a line each, with the fix below those that are not ok:
 *
 *     ok     address  https://api.example.com
 *     wrong  token    the API token is missing
 *                     set WLANCTL_API_TOKEN, or give --token-file
 */
export function renderDoctorText(checks: readonly DoctorCheck[], options: RenderOptions): string {
  const style = styleOf(options)
  const colours = { ok: style.good, note: style.warn, wrong: style.bad }
  const rows = checks.map(({ about, state, said, todo = '' }) => [
    colours[state](state),
    escapeInside(about),
    [said, todo].map(escapeInside)
  ])
  return [...formatTable(rows, options.width, ''), '', checksVerdict(checks, style), ''].join('\n')
}

export function renderDoctorJson(checks: readonly DoctorCheck[]): string {
  const count = (state: DoctorCheck['state']) =>
    checks.filter(check => check.state === state).length
  const summary = { ok: count('ok'), notes: count('note'), wrong: count('wrong') }
  return jsonText({ format: 'wlanctl-checkup/1', summary, checks })
}

function checksVerdict(checks: readonly DoctorCheck[], style: Style): string {
  const wrong = checks.filter(({ state }) => state === 'wrong').length
  const notes = checks.filter(({ state }) => state === 'note').length
  const suffix = notes === 0 ? '' : `, ${plural(notes, 'note')}`
  if (wrong > 0) return style.bad(`${plural(wrong, 'problem')} found${suffix}`)
  return style.good(`Ready${suffix}`)
}
