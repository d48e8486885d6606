import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'
import { darkFileOf, pictures } from '../pictures/pictures.ts'
import { ROOT } from '../support/program.ts'
import { markdownFiles } from './markdown.ts'

const directory = '.github/pictures'
const files = readdirSync(join(ROOT, directory)).sort()
const read = (file: string) => readFileSync(join(ROOT, directory, file))

/** What runs or loads something. */
const HARMFUL = /\bon\w+=|href|url|import|:\/\//

/** An element of a picture: a tag with its attributes, or its end. */
const TAG = /<(?:\/(\w+)|(\w+)((?: [\w:-]+="[^"<]*")*) ?(\/?))>/g

describe('the pictures', () => {
  it('are those of pictures.ts, each shown in a document with a description', () => {
    const shown = markdownFiles.flatMap(({ path, text }) =>
      [...text.matchAll(/!\[([^\]]*)\]\(([^)]*)\)|<img alt="([^"]*)" src="([^"]*)"/g)].map(
        match => {
          const [description = '', target = ''] = match.slice(1).filter(part => part !== undefined)
          expect(description.length, target).toBeGreaterThan(20)
          return normalize(join(dirname(path), target))
        }
      )
    )
    const made = pictures.map(({ file }) => file).sort()
    expect(files).toEqual([...new Set(made.flatMap(file => [file, darkFileOf(file)]))].sort())
    expect([...new Set(shown)].sort()).toEqual(made.map(file => `${directory}/${file}`))
  })

  it('have dark colours on a dark page', () => {
    const light = files.filter(
      file => file.endsWith('.png') && darkFileOf(file) !== file && files.includes(darkFileOf(file))
    )
    for (const file of light) {
      const address = `(?:[\\w./]*)\\.github/pictures/`
      const picture = new RegExp(
        `<picture><source media="\\(prefers-color-scheme: dark\\)" srcset="${address}${darkFileOf(file)}"><img alt="[^"]*" src="${address}${file}"></picture>`
      )
      expect(
        markdownFiles.some(({ text }) => picture.test(text)),
        file
      ).toBe(true)
    }
    expect(light).toHaveLength(5)
  })

  it.each(files.filter(file => file.endsWith('.svg')))(
    '%s contains only drawing elements',
    file => {
      const text = read(file).toString()
      expect(text.length).toBeLessThan(60_000)
      const open: string[] = []
      for (const [, closed, name = '', attributes = '', single] of text.matchAll(TAG)) {
        if (closed !== undefined) expect(open.pop()).toBe(closed)
        else {
          expect(['circle', 'g', 'rect', 'style', 'svg', 'text', 'title', 'tspan']).toContain(name)
          expect(attributes.replace(/ xmlns="[^"]*"/, '')).not.toMatch(HARMFUL)
          if (single === '') open.push(name)
        }
      }
      expect(open).toEqual([])
      const [style = ''] = /<style>[^<]*/.exec(text) ?? []
      expect(style).not.toMatch(HARMFUL)
      // The rest is text.
      const rest = text.replace('<?xml version="1.0" encoding="UTF-8"?>\n', '').replaceAll(TAG, '')
      expect(rest).not.toMatch(/[<]|&(?!(?:amp|lt|gt|quot|apos);)/)
    }
  )

  it('show a plan of at most 20 lines', () => {
    const [, height] = /<svg [^>]* height="(\d+)"/.exec(read('plan.svg').toString()) ?? []
    expect(Number(height)).toBeLessThanOrEqual(28 + 20 * 18 + 16)
  })

  it.each(files.filter(file => file.endsWith('.png')))(
    '%s is small, and readable in a document',
    file => {
      const png = read(file)
      expect(png.toString('latin1', 1, 4)).toBe('PNG')
      expect(png.length).toBeLessThan(150_000)
      // A document on GitHub has 850 px, and a picture 1.5 pixels for one of the page.
      expect(png.readUInt32BE(16)).toBeLessThanOrEqual(1.5 * 900)
    }
  )
})
