import { dirname, normalize } from 'node:path'
import { expect, it } from 'vitest'
import { tablesIn } from '../support/tables.ts'
import { anchorsOf, linksOf, textOf } from './markdown.ts'

interface Answer {
  readonly clicks: readonly string[]
  readonly words: readonly string[]
}

const questions = Object.entries(
  tablesIn<Readonly<Record<string, Answer>>>(import.meta.dirname, 'questions.yaml')
)

it.each(questions)('%s: at most two clicks from the README', (_, { clicks, words }) => {
  expect(clicks.length).toBeLessThanOrEqual(2)
  let path = 'README.md'
  let section = textOf(path)
  for (const click of clicks) {
    // An anchor of the README is read without a click.
    if (click.startsWith('#') && path === 'README.md')
      expect(anchorsOf(section)).toContain(click.slice(1))
    else expect(linksOf(section)).toContain(click)
    const [file = '', anchor] = click.split('#')
    if (file !== '') path = normalize(`${dirname(path)}/${file}`)
    section = anchor === undefined ? textOf(path) : sectionOf(textOf(path), anchor)
  }
  const answer = section.replaceAll(/\s+/g, ' ')
  for (const word of words) expect(answer).toContain(word)
})

it('the README asks questions of this list', () => {
  const asked = [...textOf('README.md').matchAll(/^\| (.+\?) \|/gm)].map(([, each]) => each)
  expect(asked.length).toBeGreaterThanOrEqual(15)
  expect(questions.map(([question]) => question)).toEqual(expect.arrayContaining(asked))
})

/** The section of a heading, up to the next one of the same or a higher level. */
function sectionOf(text: string, anchor: string): string {
  const parts = text.split(/^(?=#{1,6} )/m)
  const start = parts.findIndex(part => anchorsOf(part)[0] === anchor)
  const level = (part: string) => part.indexOf(' ')
  const end = parts.findIndex((part, at) => at > start && level(part) <= level(parts[start] ?? ''))
  return parts.slice(start, end < 0 ? undefined : end).join('')
}
