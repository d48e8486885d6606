import type { AdoptedField, Adoption, LeftField } from '../model/adoption.ts'
import { plural } from '../model/text.ts'
import { escapeInside, escapeJson } from './escape.ts'
import { groupFindings } from './group-findings.ts'
import { table, wrap } from './layout.ts'
import type { RenderOptions } from './report.ts'
import { type Style, styleOf } from './style.ts'
import { diffLines } from './text/diff.ts'

/** What `adopt` writes, for people: the diff of each file, what goes where, and what is left. */
export function adoptionText(adoption: Adoption, manner: RenderOptions): string {
  const style = styleOf(manner)
  const { files, adopted, left } = adoption
  const blocks = [
    ...files.map(file => diffLines(file, style)),
    adopted.length === 0 ? [] : ['Adopted:', ...fieldLines(adopted, ({ layer }) => `in ${layer}`)],
    lessSafeLines(adopted, style),
    touchedLines(adopted, manner, style),
    left.length === 0 ? [] : [style.warn('Left as it is:'), ...leftLines(left, manner)],
    [verdict(adoption, style)]
  ]
  return `${blocks
    .filter(lines => lines.length > 0)
    .map(lines => lines.join('\n'))
    .join('\n\n')}\n`
}

/** The same as JSON for programs. */
export function adoptionJson({ files, adopted, left }: Adoption): string {
  const data = {
    format: 'wlanctl-adoption/1',
    summary: { files: files.length, adopted: adopted.length, left: left.length },
    files: files.map(({ file }) => file),
    adopted: adopted.map(({ lessSafe, ...field }) => ({ ...field, less_safe: lessSafe })),
    left
  }
  return `${escapeJson(JSON.stringify(data, null, 2))}\n`
}

interface Field {
  readonly address: string
  readonly pointer: string
}

function fieldLines<F extends Field>(
  fields: readonly F[],
  ...said: readonly ((field: F) => string)[]
): string[] {
  return table(
    fields.map(({ address }) => escapeInside(address)),
    fields.map(({ pointer }) => escapeInside(pointer)),
    ...said.map(say => fields.map(field => escapeInside(say(field))))
  )
}

/** One edit of a list of sites leaves many fields for one reason: it is said once, below them. */
function leftLines(left: readonly LeftField[], { width }: RenderOptions): string[] {
  return groupFindings(left, ({ reason }) => reason).flatMap(([first, ...others]) => [
    ...table(
      [first, ...others].map(({ address }) => escapeInside(address)),
      [first, ...others].map(({ pointer }) => escapeInside(pointer))
    ),
    ...wrap(escapeInside(first.reason).split(' '), ' ', width - 4).map(line => `    ${line}`)
  ])
}

/** `apply` refuses to make a network less safe without a consent; here somebody has to see it. */
function lessSafeLines(adopted: readonly AdoptedField[], style: Style): string[] {
  const fields = adopted.filter(({ lessSafe }) => lessSafe)
  if (fields.length === 0) return []
  return [style.bad('Less safe than what was declared:'), ...fieldLines(fields)]
}

/** Whom else it changes is what somebody has to know before saying yes. */
function touchedLines(
  adopted: readonly AdoptedField[],
  { width }: RenderOptions,
  style: Style
): string[] {
  const touching = adopted.filter(({ touched }) => touched.length > 0)
  return groupFindings(touching, ({ layer, touched }) => [layer, ...touched].join('\n')).flatMap(
    ([{ layer, touched, pointer }, ...others]) => {
      const pointers = [pointer, ...others.map(other => other.pointer)].map(escapeInside).join(', ')
      const changes = `${others.length === 0 ? 'changes' : 'change'} ${plural(touched.length, 'other WLAN')}, too:`
      return [
        style.bad(`${escapeInside(layer)} ${pointers} ${changes}`),
        ...wrap(touched.map(escapeInside), ', ', width - 2).map(line => `  ${line}`)
      ]
    }
  )
}

function verdict({ files, adopted, left }: Adoption, style: Style): string {
  if (adopted.length === 0) {
    return left.length === 0 ? style.good('Nothing to adopt') : style.warn('Nothing can be adopted')
  }
  const wlans = new Set(adopted.map(({ address }) => address)).size
  const sum = `${plural(adopted.length, 'field')} of ${plural(wlans, 'WLAN')} in ${plural(files.length, 'file')}`
  const beside = left.length === 0 ? '' : style.warn(`; ${left.length} left`)
  return style.strong(`Adopt: ${sum}`) + beside
}
