import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { chromium, type Page } from 'playwright-core'

/** The path of Debian's package, which CI installs. */
const CHROMIUM = '/usr/bin/chromium'

/** A page of HTML in a window of this width, photographed after `arrange`. */
export interface Scene {
  readonly html: string
  readonly width: number
  /** The height of the window; by default that of the page. */
  readonly height?: number
  readonly arrange?: (page: Page) => Promise<void>
}

/**
 * A screenshot of the scene as PNG, in light or dark colours. The page is opened from a file, without network access.
 */
export async function photograph(
  { html, width, height, arrange }: Scene,
  colorScheme: 'light' | 'dark'
): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'wlanctl-picture-'))
  const file = join(folder, 'page.html')
  writeFileSync(file, html)
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
  try {
    const context = await browser.newContext({
      viewport: { width, height: height ?? 100 },
      deviceScaleFactor: 1.5,
      colorScheme,
      reducedMotion: 'reduce',
      locale: 'en',
      timezoneId: 'UTC',
      offline: true
    })
    const page = await context.newPage()
    await page.goto(pathToFileURL(file).href)
    await arrange?.(page)
    return await page.screenshot({
      fullPage: height === undefined,
      animations: 'disabled',
      caret: 'hide'
    })
  } finally {
    await browser.close()
    rmSync(folder, { recursive: true })
  }
}
