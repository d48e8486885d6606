import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { formats } from '../../../../src/report/formats.ts'
import type { Report } from '../../../../src/report/report.ts'

/** Debian's browser, which `.ci/run` installs. */
const CHROMIUM = '/usr/bin/chromium'

/** The options of a page. */
export interface Window {
  readonly width?: number
  readonly height?: number
  readonly scheme?: 'light' | 'dark'
  /** The fragment of the address, with `#`. */
  readonly fragment?: string
  readonly script?: boolean
  /** The size of a CSS pixel: 2 is a zoom of 200 %. */
  readonly zoom?: number
  /** Edits the file before it is opened. */
  readonly edit?: (text: string) => string
}

/** An open page with its problems so far: console messages, errors, dialogs, requests. */
export interface Opened {
  readonly page: Page
  readonly problems: readonly string[]
}

/** Starts a browser for the tests of a file; the function opens a report or an HTML text in it. */
export function browserForTests(): (report: Report | string, window?: Window) => Promise<Opened> {
  let browser: Browser | undefined
  beforeAll(async () => {
    if (!existsSync(CHROMIUM)) {
      throw new Error(`${CHROMIUM} is missing: these tests need it (apt-get install chromium)`)
    }
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
  })
  afterAll(() => browser?.close())
  return async (report, window = {}) => {
    if (browser === undefined) throw new Error('no browser')
    const { edit = text => text } = window
    const text = typeof report === 'string' ? report : formats.html(report, {})
    return openReport(browser, edit(text), window)
  }
}

/** Opens a page from a file, like a downloaded report. */
async function openReport(browser: Browser, text: string, window: Window): Promise<Opened> {
  const {
    width = 1440,
    height = 900,
    scheme = 'light',
    zoom = 1,
    fragment = '',
    script = true
  } = window
  const folder = mkdtempSync(join(tmpdir(), 'wlanctl-page-'))
  const file = join(folder, 'report.html')
  writeFileSync(file, text)
  const context = await browser.newContext({
    viewport: { width: width / zoom, height: height / zoom },
    deviceScaleFactor: zoom,
    permissions: ['clipboard-read', 'clipboard-write'],
    colorScheme: scheme,
    javaScriptEnabled: script
  })
  onTestFinished(async () => {
    await context.close()
    rmSync(folder, { recursive: true })
  })
  const page = await context.newPage()
  const problems: string[] = []
  const address = pathToFileURL(file).href
  page.on('console', message => problems.push(`${message.type()}: ${message.text()}`))
  page.on('pageerror', error => problems.push(String(error)))
  page.on('dialog', dialog => problems.push(`dialog: ${dialog.message()}`))
  page.on('request', request => {
    if (request.url().split('#')[0] !== address) problems.push(`request: ${request.url()}`)
  })
  await page.goto(address + fragment)
  return { page, problems }
}
