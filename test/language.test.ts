import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type Finding, type FindingCode, finding } from '../src/core/model/finding.ts'
import { markdownFiles, markdownReports, proseOf } from './package/markdown.ts'
import { samples } from './schemas/finding-samples.ts'
import { readSchema, schemaNames } from './schemas/schemas.ts'
import { folder, wlanctl } from './support/program.ts'

const testFiles = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter(
  file => /\.test\.ts$|^cases\/.*\/expected\.json$/.test(file)
)

/**
 * Words and phrases that texts for users avoid, with their replacements. The texts are the messages and
 * hints of findings, the help of commands, the descriptions in the schemas, and all Markdown files. Titles
 * of tests avoid them, too.
 */
const avoided: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/nobody/, 'no one; better the subject, or the passive: "is not declared"'],
  [/somebody/, 'another user, a person; better the passive: "was changed"'],
  [/whoever/, 'anyone who'],
  [/so many/, 'the number, this number of'],
  [/besides?/, 'next to, in addition to, other than'],
  [/mend(?:s|ed|ing)?/, 'fix'],
  [/meant/, 'intended, expected'],
  [/tells?|told|telling/, 'report, print, show, write'],
  [/(?:leaves?|left|leaving) out/, 'exclude, omit, skip'],
  [/house|rooms/, 'module'],
  [/speaks? to/, 'is an instruction to'],
  [/in clear/, 'plaintext'],
  [
    /what (?:is|was|are|were|has|had)(?![^.?!]*\?)/,
    'a noun: "the live WLAN", "the applied changes"'
  ]
]

/** The avoided phrases in a text, each with the words around it and what to write instead. */
function offencesIn(text: string): string[] {
  const line = text.replaceAll(/\s+/g, ' ')
  return avoided.flatMap(([phrase, instead]) =>
    [...line.matchAll(new RegExp(`(?<![\\w-])(?:${phrase.source})(?![\\w-])`, 'gi'))].map(
      ({ index }) => `… ${line.slice(Math.max(0, index - 30), index + 40)} …; write: ${instead}`
    )
  )
}

describe('texts for users avoid some words:', () => {
  it.each([...markdownFiles, ...markdownReports])('$path', ({ text }) => {
    expect(offencesIn(proseOf(text))).toEqual([])
  })

  const make = finding as (code: string, where: object, ...details: unknown[]) => Finding

  it.each(Object.keys(samples))('the message and hint of %s', code => {
    const texts = samples[code as FindingCode].map(details => {
      const { message, hint = '' } = make(code, {}, ...details)
      return `${message}\n${hint}`
    })
    expect(texts.flatMap(offencesIn)).toEqual([])
  })

  it('the help of all commands', async () => {
    const offences: string[] = []
    const check = async (command: readonly string[]) => {
      const { code, stdout } = await wlanctl([...command, '--help'], { cwd: folder() })
      expect({ command, code }).toEqual({ command, code: 0 })
      offences.push(...offencesIn(stdout).map(offence => `${command.join(' ')}: ${offence}`))
      const [, list = ''] = stdout.split(/^(?:Commands|Try it):$/m)
      const names = [...list.matchAll(/^ {2}([a-z]+) /gm)].map(([, name = '']) => name)
      for (const name of names) await check([...command, name])
      return names.length
    }
    expect(await check([])).toBeGreaterThan(12)
    expect(offences).toEqual([])
  })

  it.each(schemaNames)('the descriptions in %s', name => {
    expect(descriptionsIn(readSchema(name)).flatMap(offencesIn)).toEqual([])
  })

  it('the titles of tests, and the stories of scenarios', () => {
    const titles = testFiles.flatMap(file => {
      const text = readFileSync(`${import.meta.dirname}/${file}`, 'utf8')
      const found = file.endsWith('.json') ? [JSON.parse(text).story] : titlesIn(text)
      return found.map(title => ({ file, title }))
    })
    expect(titles.length).toBeGreaterThan(2000)
    expect(
      titles.flatMap(({ file, title }) => offencesIn(title).map(offence => `${file}: ${offence}`))
    ).toEqual([])
  })

  it.each([
    'ask somebody; nobody knows',
    'two spaces beside\nthe key',
    'Mend this',
    'it is not told',
    'the name of what is live.',
    'This is left out'
  ])('and this test finds them: %s', text => {
    expect(offencesIn(text)).not.toEqual([])
  })

  it.each(['What is a fleet?', 'amend the commit', 'meantime', 'the warehouse'])(
    'and this test allows: %s',
    text => {
      expect(offencesIn(text)).toEqual([])
    }
  )
})

function descriptionsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, entry]) =>
    key === 'description' && typeof entry === 'string' ? [entry] : descriptionsIn(entry)
  )
}

/** The titles in the text of a test file: the string after `it(`, `describe.each(table)(` and the like. */
function titlesIn(text: string): string[] {
  const calls = /(?:\b(?:it|test|describe)(?:\.\w+)*|\))\(\s*(['"`])((?:\\.|(?!\1).)*)\1,/g
  return [...text.matchAll(calls)].map(([, , title = '']) => title)
}
