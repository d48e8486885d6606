import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../support/program.ts'
import { photograph } from './draw/browser.ts'
import { darkFileOf, pictures } from './pictures.ts'

/** `npm run pictures` makes all pictures; the test those that can be compared, as text. */
const isMaking = process.env['WLANCTL_PICTURES'] === 'make'

/** The port in the README; tests use any free port. */
const port = isMaking ? 41373 : 0

/** The time of the last run of all stories. */
const LATEST = '2026-11-20T08:00'

const directory = join(ROOT, '.github/pictures')

const possible = pictures.filter(picture => 'draw' in picture || isMaking)

it.each(possible)('$file', { timeout: isMaking ? 600_000 : 120_000 }, async picture => {
  const file = join(directory, picture.file)
  if ('draw' in picture) {
    const drawn = await picture.draw(port)
    if (isMaking) writeFileSync(file, drawn)
    // The digest of a plan covers the address that it is for.
    else expect(withoutDigests(drawn)).toBe(withoutDigests(readFileSync(file, 'utf8')))
    return
  }
  const scene = await picture.scene(port)
  expect(scene.html).toContain('</html>')
  const times = scene.html.match(/\b20\d\d-\d\d-\d\d[T ]\d\d:\d\d/g) ?? []
  expect(times.filter(time => time.replace(' ', 'T') > LATEST)).toEqual([])
  writeFileSync(file, await photograph(scene, 'light'))
  writeFileSync(darkFileOf(file), await photograph(scene, 'dark'))
})

function withoutDigests(text: string): string {
  return text.replaceAll(/sha256:[0-9a-f]{64}/g, 'sha256')
}
