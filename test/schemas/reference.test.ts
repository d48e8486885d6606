import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { messages } from '../../src/core/model/finding.ts'
import { ROOT } from '../support/program.ts'
import { fixes, samples } from './finding-samples.ts'
import { reference } from './reference.ts'

const text = reference()

describe('the reference in schemas/README.md', () => {
  it('is up to date (run `npm run reference`)', async () => {
    await expect(text).toMatchFileSnapshot(join(ROOT, 'schemas/README.md'))
  })

  it('has a row for each field of a WLAN', () => {
    const fields = readFileSync(join(import.meta.dirname, 'fields.txt'), 'utf8')
      .trim()
      .split('\n')
    // The schema lists the bands of `rateset`; elements without notes are in the type of their list.
    const rowOf = (field: string) => `| \`${field.replace('rateset.{key}', 'rateset.24')}\` |`
    const withoutRow = fields.filter(
      field => !text.includes(rowOf(field)) && !text.includes(rowOf(field.replace(/\[\]$/, '')))
    )
    expect(withoutRow).toEqual([])
  })

  it('has a section for each finding code', () => {
    expect(Object.keys(samples).sort()).toEqual(Object.keys(messages).sort())
    for (const code of Object.keys(messages)) expect(text).toContain(`### ${code}\n`)
  })

  it('has no section for an unknown code', () => {
    expect(Object.keys(fixes).filter(code => !(code in messages))).toEqual([])
  })
})
