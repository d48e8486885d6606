import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { explainRules } from '../../src/core/lint/explain.ts'
import { messages } from '../../src/core/model/finding.ts'
import { blocksOf } from '../package/markdown.ts'
import { ROOT } from '../support/program.ts'
import { fixes, samples } from './finding-samples.ts'
import { fieldsPage } from './reference/fields.ts'
import { filesPage } from './reference/files.ts'
import { findingsPage } from './reference/findings.ts'
import { rulesPage, sources } from './reference/rules.ts'
import { readSchema, strictAjv } from './schemas.ts'

const pages = {
  'files.md': filesPage(),
  'fields.md': fieldsPage(),
  'rules.md': rulesPage(),
  'findings.md': findingsPage()
}
const { 'fields.md': fields, 'findings.md': findings, 'rules.md': rules } = pages

/** The examples in a text: its blocks of YAML, and the last cells of tables with a column for them. */
function examplesIn(text: string): string[] {
  const tables = text.matchAll(/\| example \|\n\|[- |]+\|\n((?:\|.*\n)+)/g)
  const rows = [...tables].flatMap(([, lines = '']) => lines.trimEnd().split('\n'))
  const cells = rows.map(row => row.split(/(?<!\\)\|/).at(-2) ?? '')
  return [...blocksOf(text, 'yml'), ...cells.map(cell => cell.replaceAll(/^ `+ ?| ?`+ $/g, ''))]
}

describe('the reference in schemas/', () => {
  it.each(Object.entries(pages))(
    '%s is up to date (run `npm run reference`)',
    async (name, text) => {
      await expect(text).toMatchFileSnapshot(join(ROOT, 'schemas', name))
    }
  )

  it('has a section for each finding code', () => {
    expect(Object.keys(samples).sort()).toEqual(Object.keys(messages).sort())
    for (const code of Object.keys(messages)) expect(findings).toContain(`## ${code}\n`)
  })

  it('explains what the sources of the rules cite', () => {
    const standards = ['OWE', 'RADIUS', 'RFC', 'SSID', 'TKIP', 'TR', 'VLAN', 'WEP', 'WPA']
    const known = new Set([...standards, ...Object.keys(sources)])
    const words = [...rules.matchAll(/^- Source: (.*)$/gm)].flatMap(
      ([, text = '']) => text.match(/\b(?:[A-Z]{2,}|J)(?:-\w+)?(?![\w-])/g) ?? []
    )
    expect(words.filter(word => !known.has(word))).toEqual([])
    for (const name of Object.keys(sources)) expect(rules.split('## Sources')[0]).toContain(name)
  })

  it('shows different networks that break a rule and that do not', () => {
    const pairs = rules.matchAll(
      /Breaks the rule:\n\n(```yml[\s\S]*?```)\n\nDoes not break it:\n\n(```yml[\s\S]*?```)/g
    )
    const shown = [...pairs]
    expect(shown.length).toBe(explainRules().length)
    for (const [text, broken, passing] of shown) expect(broken, text).not.toBe(passing)
  })

  it('has no section for an unknown code', () => {
    expect(Object.keys(fixes).filter(code => !(code in messages))).toEqual([])
  })
})

describe('its examples', () => {
  const schema = strictAjv().addSchema(readSchema('fleet.schema.json'), 'fleet')
  const errorsOf = (definition: string, value: unknown) => {
    const validate = schema.getSchema(`fleet#/$defs/${definition}`)
    return validate?.(value) ? [] : (validate?.errors ?? [])
  }

  it('of the fields are as the schema of a fleet wants them', () => {
    const blocks = blocksOf(fields, 'yml')
    expect(blocks.length).toBeGreaterThan(90)
    for (const block of blocks)
      expect({ block, errors: errorsOf('wlan', parse(block)) }).toEqual({ block, errors: [] })
  })

  it('are YAML', () => {
    const examples = Object.values(pages).flatMap(examplesIn)
    expect(examples.length).toBeGreaterThan(500)
    for (const example of examples) expect(() => parse(example), example).not.toThrow()
  })
})
