import { escapeMarkup } from '../escape.ts'

/** HTML in which all text is escaped: only `html` makes it. */
export class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** A part of a template: text, which is escaped, or markup. `undefined` and `false` add nothing. */
export type Part = Markup | string | number | false | undefined | readonly Part[]

const indentation = /\n\s*/g
const trimmed = new WeakMap<TemplateStringsArray, readonly string[]>()

/** A template of HTML. Attributes need double quotes; line breaks with their indentation are no part of it. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  let literals = trimmed.get(strings)
  if (literals === undefined) {
    literals = strings.map(literal => literal.replaceAll(indentation, ''))
    trimmed.set(strings, literals)
  }
  let text = literals[0] ?? ''
  for (const [at, part] of parts.entries()) text += textOf(part) + (literals[at + 1] ?? '')
  return new Markup(text)
}

function textOf(part: Part): string {
  if (part instanceof Markup) return part.text
  if (part === undefined || part === false) return ''
  if (typeof part === 'object') {
    let text = ''
    for (const each of part) text += textOf(each)
    return text
  }
  return escapeMarkup(String(part))
}

export function joined(parts: readonly Part[], separator: Part): Part[] {
  return parts.flatMap((part, at) => (at === 0 ? [part] : [separator, part]))
}
