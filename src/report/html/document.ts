import { page } from '#page'
import { escapeScript } from '../escape.ts'
import type { PageData } from './data.ts'
import { bodyOf } from './skeleton.ts'
import { h, markup, type Tree } from './tree.ts'

/**
 * The whole page, in one file. What somebody has to know is in it as HTML, for those who read without
 * script; the rest is made by its script from the data.
 */
export function documentOf(data: PageData): string {
  const [view] = data.views
  const body = [
    ...bodyOf(view).map(markup),
    `<script type="application/json" id="data">${escapeScript(JSON.stringify(data))}</script>`,
    `<script>${page.script}</script>`
  ]
  return pageOf(`${view.verdict.text} – wlanctl`, body.join(''), `'${page.scriptHash}'`)
}

/** A page that needs no script: it is all there. */
export function staticPage(title: string, ...body: readonly Tree[]): string {
  return pageOf(title, body.map(markup).join(''), "'none'")
}

/** Nothing is loaded, and nothing runs but the page's own script: that and the style are known by hash. */
function pageOf(title: string, body: string, scripts: string): string {
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
    ...head.map(markup),
    `<style>${page.style}</style></head><body>${body}</body></html>\n`
  ].join('')
}
