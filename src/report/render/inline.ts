import type { Inline, Text } from './document.ts'

/** A text without its markup, not escaped. */
export function textOf(text: Text): string {
  return text.map(inlineText).join('')
}

function inlineText(part: Inline): string {
  if (typeof part === 'string') return part
  switch (part.kind) {
    case 'name':
    case 'code':
      return part.text
    case 'strong':
    case 'muted':
    case 'danger':
    case 'link':
      return textOf(part.text)
    case 'change':
      return `${part.before} → ${part.after}`
  }
}
