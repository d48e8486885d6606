import { type Browser, chromium, type Page } from 'playwright-core'
import { withPalette } from './png.ts'

/** Debian's, as CI installs it. */
const CHROMIUM = '/usr/bin/chromium'

/** What is photographed: a page of HTML, in a window so wide, after `arrange` did what it does. */
export interface Scene {
  readonly html: string
  readonly width: number
  /** The window's height; as high as the page where there is none. */
  readonly height?: number
  readonly arrange?: (page: Page) => Promise<void>
}

/** A picture of the scene as PNG, in light colours. */
export async function photograph({ html, width, height, arrange }: Scene): Promise<Buffer> {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
  try {
    const page = await openPage(browser, width, height)
    await page.setContent(html)
    await arrange?.(page)
    const png = await page.screenshot({ fullPage: height === undefined, animations: 'disabled' })
    return withPalette(png)
  } finally {
    await browser.close()
  }
}

/** A window that reaches no network. */
async function openPage(browser: Browser, width: number, height = 100): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width, height },
    deviceScaleFactor: 1.5,
    colorScheme: 'light',
    reducedMotion: 'reduce',
    locale: 'en',
    timezoneId: 'UTC',
    offline: true
  })
  return context.newPage()
}
