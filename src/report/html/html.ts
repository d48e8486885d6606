import { page } from '#page'
import { escapeScript } from '../escape.ts'
import type { Report } from '../report.ts'
import { pageSkeleton } from './skeleton.ts'
import { h, renderToString, type VNode } from './vdom.ts'
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

/** A whole HTML document, without script: its content is complete. */
export function staticPage(title: string, ...body: readonly VNode[]): string {
  return htmlDocument(title, body.map(renderToString).join(''), "'none'")
}

/**
 * A whole HTML document in one file. Its policy blocks all requests, and any script or style other than
 * the page's own, which it knows by hash. `scripts`: the sources of `script-src`.
 */
function htmlDocument(title: string, body: string, scripts: string): string {
  const policy = [
    "default-src 'none'",
    `script-src ${scripts}`,
    `style-src '${page.styleHash}'`,
    "img-src 'none'",
    "base-uri 'none'",
    "form-action 'none'"
  ]
  const head = [
    h('meta', { charset: 'utf-8' }),
    h('meta', { 'http-equiv': 'Content-Security-Policy', content: policy.join('; ') }),
    h('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
    h('meta', { name: 'color-scheme', content: 'light dark' }),
    h('meta', { name: 'referrer', content: 'no-referrer' }),
    h('meta', { name: 'generator', content: 'wlanctl' }),
    h('title', {}, title)
  ]
  return [
    '<!doctype html><html lang="en"><head>',
    ...head.map(renderToString),
    `<style>${page.style}</style></head><body>${body}</body></html>\n`
  ].join('')
}
