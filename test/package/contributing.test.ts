import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { ROOT } from '../support/program.ts'
import { textOf } from './markdown.ts'

const text = textOf('.github/CONTRIBUTING.md')

function sectionOf(heading: string): string {
  const [, section = ''] = text.split(`\n## ${heading}\n`)
  return section.split('\n## ')[0] ?? ''
}

/** The cells of the table of a section, without its head. */
function rowsOf(heading: string): string[][] {
  const lines = sectionOf(heading).matchAll(/^\|(.+)\|$/gm)
  return [...lines].slice(2).map(([, row = '']) => row.split('|').map(cell => cell.trim()))
}

describe('CONTRIBUTING', () => {
  it('names paths that exist', () => {
    const inTable = rowsOf('Where to change what').map(([, cell = '']) => pathsIn(cell))
    expect(inTable.filter(paths => paths.length === 0)).toEqual([])
    const missing = pathsIn(text).filter(path => !existsSync(join(ROOT, path)))
    expect(missing).toEqual([])
  })

  it('names each task once', () => {
    const tasks = rowsOf('Where to change what').map(([task]) => task)
    expect(tasks.length).toBeGreaterThan(30)
    expect(new Set(tasks).size).toBe(tasks.length)
  })

  it('names existing scripts, each once in the list, and no other way to run them', () => {
    const named = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name)
    expect(Object.keys(packageJson.scripts)).toEqual(expect.arrayContaining(named))
    const [list = ''] = sectionOf('Build, test, measure').split('```\n')
    const lines = [...list.matchAll(/^npm [\w :]+?(?= {2,}#|$)/gm)].map(([line]) => line)
    expect(lines.length).toBeGreaterThan(10)
    expect(new Set(lines).size).toBe(lines.length)
  })

  it('defines each word of the glossary once, in one sentence', () => {
    const rows = rowsOf('Glossary')
    const terms = rows.map(([term = '']) => term.toLowerCase())
    expect(terms.length).toBeGreaterThanOrEqual(30)
    expect(new Set(terms).size).toBe(terms.length)
    for (const [term = '', meaning = ''] of rows) {
      expect(meaning, term).not.toMatch(/^$|\. /)
    }
  })
})

/** The paths from the root of the repository, in code spans. */
function pathsIn(markdown: string): string[] {
  const paths = markdown.matchAll(/`((?:src|test|schemas|\.github)\/[\w./-]*)`/g)
  return [...paths].map(([, path = '']) => path)
}
