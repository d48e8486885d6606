import type { View } from './data.ts'
import { type Element, h } from './tree.ts'

const signs = { good: '✓', note: 'i', warn: '!', bad: '✕' } as const
const spoken = {
  good: 'All is well',
  note: 'For your information',
  warn: 'Look at this',
  bad: 'Something is wrong'
} as const

/** The verdict, what to do about it, and the sums: the first thing anybody sees, with or without script. */
export function verdictPart({ verdict, accounts }: Pick<View, 'verdict' | 'accounts'>): Element {
  const { tone, text, advice } = verdict
  return h(
    'div',
    { class: `verdict ${tone}` },
    h('span', { class: 'sign', role: 'img', 'aria-label': spoken[tone] }, signs[tone]),
    h(
      'div',
      {},
      h('h1', {}, text),
      ...(advice === undefined ? [] : [h('p', { class: 'advice' }, advice)]),
      ...(accounts === '' ? [] : [h('p', { class: 'accounts' }, accounts)])
    )
  )
}

/** Where it comes from: for whoever finds the file next year. */
export function factsPart({ facts }: Pick<View, 'facts'>): Element {
  const rows = facts.map(([name, text]) => h('div', {}, h('dt', {}, name), h('dd', {}, text)))
  return h('dl', { class: 'facts' }, ...rows)
}
