import type { AdoptedField, Adoption, LeftField } from '../../core/model/adoption.ts'
import type { DoctorCheck } from '../../core/model/finding.ts'
import { groupsBy, present } from '../../core/values/collections.ts'
import { fieldName } from '../../core/values/pointer.ts'
import { formatNumber, plural } from '../../core/values/text.ts'
import { diffLines } from '../diff.ts'
import { escapeInside, escapeLines } from '../escape.ts'
import { overviewFormats } from '../formats.ts'
import { formatTable, joinBlocks, type Style, styleOf, wrapText } from '../layout.ts'
import type { Overview } from '../overview/overview.ts'
import { row, section, tablesOverview } from '../overview/sections.ts'
import { name } from '../render/document.ts'
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
  return escapeLines(joinBlocks(blocks))
}

/** `unread` and `than` as of the text. */
export function adoptionFormats(unread: number, than: 'declared' | 'the default') {
  const overview = (adoption: Adoption) => {
    const { adopted, left } = adoption
    const verdict = adoptionVerdict(adoption, PLAIN, unread)
    const lessSafe = adopted.filter(({ lessSafe: isLess }) => isLess)
    const table = (id: string, title: string, fields: readonly (AdoptedField | LeftField)[]) =>
      section(
        { id, title, count: fields.length, noun: 'field' },
        ['Network', 'Field', ''],
        fields.map(each =>
          row(
            [name(each.address)],
            fieldName(each.pointer),
            'layer' in each ? `in ${each.layer}` : each.reason
          )
        )
      )
    return tablesOverview('adoption', left.length + unread > 0 ? 'warn' : 'note', verdict, [
      ...table('adopted', 'To adopt', adopted),
      ...table('less-safe', `Less secure than ${than}`, lessSafe),
      ...table('left', 'Not adopted', left)
    ])
  }
  return {
    ...overviewFormats(overview, adoptionData),
    text: (adoption: Adoption, options: RenderOptions) =>
      renderAdoptionText(adoption, options, unread, than)
  }
}

const PLAIN = styleOf({ colour: false, width: 0 })

function adoptionData({ files, adopted, left }: Adoption): unknown {
  return {
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
function doctorText(checks: readonly DoctorCheck[], options: RenderOptions): string {
  const style = styleOf(options)
  const colours = { ok: style.good, note: style.warn, wrong: style.bad }
  const rows = checks.map(({ about, state, said, todo = '' }) => [
    colours[state](state),
    escapeInside(about),
    [said, todo].map(escapeInside)
  ])
  const lines = [...formatTable(rows, options.width, ''), '', checksVerdict(checks, style), '']
  return escapeLines(lines.join('\n'))
}

export const doctorFormats = { ...overviewFormats(doctorOverview, doctorData), text: doctorText }

function doctorOverview(checks: readonly DoctorCheck[]): Overview {
  const rows = checks.map(({ about, state, said, todo }) => ({
    cells: [[[state]], [[about]], present(said, todo).map(line => [line])]
  }))
  const about = { id: 'checks', title: 'Checks', count: checks.length, noun: 'check' }
  const tone = checks.some(({ state }) => state === 'wrong') ? 'bad' : 'good'
  const sections = section(about, ['State', 'Check', ''], rows)
  return tablesOverview('checks', tone, checksVerdict(checks, PLAIN), sections)
}

function doctorData(checks: readonly DoctorCheck[]): unknown {
  const count = (state: DoctorCheck['state']) =>
    checks.filter(check => check.state === state).length
  const summary = { ok: count('ok'), notes: count('note'), wrong: count('wrong') }
  return { format: 'wlanctl-checkup/1', summary, checks }
}

function checksVerdict(checks: readonly DoctorCheck[], style: Style): string {
  const wrong = checks.filter(({ state }) => state === 'wrong').length
  const notes = checks.filter(({ state }) => state === 'note').length
  const suffix = notes === 0 ? '' : `, ${plural(notes, 'note')}`
  if (wrong > 0) return style.bad(`${plural(wrong, 'problem')} found${suffix}`)
  return style.good(`Ready${suffix}`)
}
