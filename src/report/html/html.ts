import { page } from '#page'
import { escapeScript } from '../escape.ts'
import type { Report } from '../report.ts'
import { htmlDocument } from './document.ts'
import { pageSkeleton } from './skeleton.ts'
import { renderToString } from './vdom.ts'
import { pageData } from './views.ts'

/** A report as one HTML file that needs no network, server or other file; the essentials need no script. */
export function renderHtml(report: Report): string {
  const data = pageData(report)
  const [view] = data.views
  const body = [
    ...pageSkeleton(view).map(renderToString),
    `<script type="application/json" id="data">${escapeScript(JSON.stringify(data))}</script>`,
    `<script>${page.script}</script>`
  ]
  return htmlDocument(`${view.verdict.text} – wlanctl`, body.join(''), `'${page.scriptHash}'`)
}
