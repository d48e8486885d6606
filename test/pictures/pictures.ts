import type { Scene } from './draw/browser.ts'
import { githubPage } from './draw/github.ts'
import { terminal } from './draw/terminal.ts'
import { auditPage } from './stories/audit.ts'
import { checksOfDays } from './stories/days.ts'
import { scenesOfDemo } from './stories/demo.ts'
import { planCommand, planOnTerminal } from './stories/plan.ts'
import { week } from './stories/workflows.ts'

/** A picture, as SVG for light and dark pages or as a scene for the browser, named after its file. */
export type Picture =
  | { readonly file: `${string}.svg`; readonly draw: (port: number) => Promise<string> }
  | { readonly file: `${string}.png`; readonly scene: (port: number) => Promise<Scene> }

/** The width of a comment beside the side bar of GitHub; a document shows it a little larger, and a phone at half the size. */
const COMMENT = 720

/** A window that a document, at most 850 px wide on GitHub, shows almost at its size. */
const SCREEN = { width: 900, height: 820 }

const weekOnce = memoize(week)
const daysOnce = memoize(checksOfDays)

/** The pictures of the README, each from a run of the built program on the simulator. */
export const pictures: readonly Picture[] = [
  {
    file: 'plan.svg',
    draw: async port => terminal(planCommand, [await planOnTerminal(port)], 80)
  },
  {
    file: 'demo.svg',
    draw: async () => terminal('wlanctl demo', await scenesOfDemo(), 100)
  },
  {
    file: 'comment.png',
    // Ends after the list of refusals; the rest is shown in the issue.
    scene: async port => ({
      width: COMMENT,
      height: 1000,
      html: githubPage((await weekOnce(port)).comment, {
        header: ['github-actions', 'commented on this pull request']
      })
    })
  },
  {
    file: 'issue.png',
    scene: async port => ({
      width: COMMENT,
      height: 1400,
      html: githubPage((await weekOnce(port)).issue, {
        title: ['Drift: fleet is not as declared', 101],
        header: ['github-actions', 'opened this issue']
      })
    })
  },
  {
    // The first screen of the README shows it with the commands to try below.
    file: 'report.png',
    scene: async port => ({ ...SCREEN, height: 480, html: await daysOnce(port) })
  },
  {
    file: 'report-wlan.png',
    scene: async port => ({
      ...SCREEN,
      height: 700,
      html: await daysOnce(port),
      arrange: async page => {
        await page.getByRole('link', { name: 'Old Mill Hospital' }).first().click()
        // The line of the site is above its first network.
        await page.mouse.wheel(0, -80)
      }
    })
  },
  {
    file: 'audit.png',
    scene: async port => ({ ...SCREEN, html: await auditPage(port) })
  }
]

/** Caches the result of the first call for all others. */
function memoize<Argument, Result>(
  compute: (argument: Argument) => Promise<Result>
): (argument: Argument) => Promise<Result> {
  let result: Promise<Result> | undefined
  return argument => {
    result ??= compute(argument)
    return result
  }
}

/** The file of a picture in dark colours. */
export function darkFileOf(file: string): string {
  return file.replace(/\.png$/, '-dark.png')
}
