import type { AdoptedField, Adoption, LeftField } from '../../core/model/adoption.ts'
import type { DoctorCheck } from '../../core/model/finding.ts'
import { groupsBy, present } from '../../core/values/collections.ts'
import { fieldName } from '../../core/values/pointer.ts'
import { formatNumber, plural } from '../../core/values/text.ts'
import { diffLines } from '../diff.ts'
import { escapeLines } from '../escape.ts'
import { overviewFormats } from '../formats.ts'
import { joinBlocks, styleOf } from '../layout.ts'
import type { Overview } from '../overview/overview.ts'
import { section, tablesOverview } from '../overview/sections.ts'
import { name, type Section } from '../render/document.ts'
import type { RenderOptions } from '../report.ts'

/**
 * What `adopt` is about to write: in text the diff of each file, then the adopted fields with their places, and the fields
 * not adopted. `unread`: the number of sites that could not be read; `than`: with what the fields are compared.
 */
export function adoptionFormats(unread = 0, than: 'declared' | 'the default' = 'declared') {
  const overview = (adoption: Adoption) => {
    const { adopted, left } = adoption
    const verdict = adoptionVerdict(adoption, unread)
    const lessSafe = adopted.filter(({ lessSafe: isLess }) => isLess)
    const tone = left.length + unread > 0 ? 'warn' : adopted.length > 0 ? 'note' : 'good'
    // Later plans will not show what is less secure.
    const less = { id: 'less-safe', title: `Less secure than ${than}`, tone: 'bad' } as const
    return tablesOverview('adoption', tone, verdict, [
      ...fieldSection({ id: 'adopted', title: 'To adopt' }, adopted.map(placed)),
      ...fieldSection(less, lessSafe.map(placed)),
      ...fieldSection(
        { id: 'left', title: 'Not adopted', tone: 'warn' },
        groupsBy(left, ({ reason }) => reason).map(same => [same[0].reason, same])
      )
    ])
  }
  const formats = overviewFormats(overview, adoptionData)
  const text = (adoption: Adoption, options: RenderOptions) => {
    const diffs = adoption.files.map(file => diffLines(file, styleOf(options)))
    return present(escapeLines(joinBlocks(diffs)), formats.text(adoption, options)).join('\n')
  }
  return { ...formats, text }
}

type Fields = readonly Pick<LeftField, 'address' | 'pointer'>[]

function placed(field: AdoptedField): readonly [text: string, fields: Fields] {
  return [`in ${field.layer}`, [field]]
}

function fieldSection(
  about: Pick<Section, 'id' | 'title'> & Partial<Pick<Section, 'tone'>>,
  groups: readonly (readonly [text: string, fields: Fields])[]
): Section[] {
  const rows = groups.map(([text, fields]) => ({
    cells: [
      fields.map(({ address }) => [name(address)]),
      fields.map(({ pointer }) => [fieldName(pointer)]),
      [[text]]
    ],
    weight: fields.length
  }))
  const count = groups.reduce((sum, [, { length }]) => sum + length, 0)
  return section({ ...about, count, noun: 'field' }, ['Network', 'Field', ''], rows)
}

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

function adoptionVerdict({ files, adopted, left }: Adoption, unread: number): string {
  if (adopted.length === 0) {
    if (left.length > 0) return 'Nothing can be adopted'
    return unread === 0
      ? 'Nothing to adopt'
      : `Incomplete: ${plural(unread, 'site')} not read. Nothing to adopt at the others`
  }
  const wlans = new Set(adopted.map(({ address }) => address)).size
  const sum = `${plural(adopted.length, 'field')} of ${plural(wlans, 'WLAN')} in ${plural(files.length, 'file')}`
  const suffix = left.length === 0 ? '' : `; ${formatNumber(left.length)} not adopted`
  return `Adopt: ${sum}${suffix}`
}

export const doctorFormats = overviewFormats(doctorOverview, doctorData)

const checkTones = { ok: 'good', note: 'warn', wrong: 'bad' } as const

/** The checks of `doctor`, a row each, with the fix below those that are not ok. */
function doctorOverview(checks: readonly DoctorCheck[]): Overview {
  const rows = checks.map(({ about, state, said, todo }) => ({
    cells: [[[state]], [[about]], present(said, todo).map(line => [line])],
    tone: checkTones[state]
  }))
  const about = { id: 'checks', title: 'Checks', count: checks.length, noun: 'check' }
  const wrong = checks.filter(({ state }) => state === 'wrong').length
  const notes = checks.filter(({ state }) => state === 'note').length
  const verdict = present(
    wrong > 0 ? `${plural(wrong, 'problem')} found` : 'Ready',
    notes > 0 && plural(notes, 'note')
  ).join(', ')
  const sections = section(about, ['State', 'Check', ''], rows)
  return tablesOverview('checks', wrong > 0 ? 'bad' : 'good', verdict, sections)
}

function doctorData(checks: readonly DoctorCheck[]): unknown {
  const count = (state: DoctorCheck['state']) =>
    checks.filter(check => check.state === state).length
  const summary = { ok: count('ok'), notes: count('note'), wrong: count('wrong') }
  return { format: 'wlanctl-checkup/1', summary, checks }
}
