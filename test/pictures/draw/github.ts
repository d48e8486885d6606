import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import octicons from './octicons.json' with { type: 'json' }

/** GitHub's Markdown renderer; Debian has a package with this name. */
const reader = 'cmark-gfm'

/** False if the renderer is not installed: the pictures of GitHub cannot be made. */
export const hasReader = spawnSync(reader, ['--version']).error === undefined

/** The HTML elements that GitHub allows, as far as wlanctl uses them. */
const elements =
  'a b blockquote br code del details em h1 h2 h3 h4 h5 h6 hr li ol p pre strong sub summary sup table tbody td th thead tr ul'.split(
    ' '
  )
const attributes = ['align', 'href', 'open']

const css = readFileSync(
  fileURLToPath(import.meta.resolve('github-markdown-css/github-markdown.css')),
  'utf8'
)

/** The frame of a comment or an issue, in GitHub's colours. */
const frame = `
  :root { --back: #fff; --bar: #f6f8fa; --line: #d1d9e0; --text: #1f2328; --faint: #59636e; }
  @media (prefers-color-scheme: dark) {
    :root { --back: #0d1117; --bar: #151b23; --line: #3d444d; --text: #f0f6fc; --faint: #9198a1; }
  }
  body { margin: 0; padding: 12px; background: var(--back); }
  body > h1 { margin: 0 0 12px; font: 400 24px "Helvetica Neue", Helvetica, Arial, sans-serif; color: var(--text); }
  body > h1 span { color: var(--faint); }
  .box { border: 1px solid var(--line); border-radius: 6px; overflow: hidden; }
  .box > header { padding: 9px 16px; background: var(--bar); border-bottom: 1px solid var(--line); color: var(--faint);
    font: 14px "Helvetica Neue", Helvetica, Arial, sans-serif; }
  .box > header b { color: var(--text); }
  .markdown-body { padding: 16px; font-size: 14px; font-family: "Helvetica Neue", Helvetica, Arial, sans-serif, "Noto Color Emoji"; }
  .octicon { margin-right: 8px; }
  .markdown-body > :last-child { margin-bottom: 0; }`

/** The frame around a text on GitHub. */
export interface Frame {
  /** The title of an issue, with its number. */
  readonly title?: readonly [string, number]
  /** The author and the time, or a description. */
  readonly header: readonly [who: string, did: string]
}

/** A page that renders Markdown like a comment on GitHub, where every newline is a line break. */
export function githubPage(markdown: string, { title, header: [who, did] }: Frame): string {
  const heading =
    title === undefined ? '' : `<h1>${escaped(title[0])} <span>#${title[1]}</span></h1>`
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escaped(who)}</title>
<style>${css}${frame}</style>
${heading}
<div class="box"><header><b>${escaped(who)}</b> ${escaped(did)}</header>
<div class="markdown-body">${withAlerts(rendered(markdown))}</div></div>
</html>
`
}

/** The HTML that GitHub renders. Throws on anything that GitHub would remove. */
function rendered(markdown: string): string {
  const extensions = ['table', 'strikethrough', 'autolink', 'tagfilter', 'tasklist']
  const options = ['--unsafe', '--hardbreaks', ...extensions.flatMap(name => ['-e', name])]
  const { stdout, error } = spawnSync(reader, options, { input: markdown, encoding: 'utf8' })
  if (error) throw error
  const html = stdout.replace(/<!--.*?-->/gs, '')
  for (const [tag, name = '', rest = ''] of html.matchAll(/<\/?([a-z][a-z0-9]*)([^>]*)>/gi)) {
    const names = rest.replaceAll(/="[^"]*"/g, '').match(/[^\s/]+/g) ?? []
    const isFine = elements.includes(name) && names.every(given => attributes.includes(given))
    if (!isFine) throw new Error(`GitHub would not show ${tag}`)
  }
  return html
}

/** Renders GitHub's alerts, which cmark-gfm treats as block quotes. */
function withAlerts(html: string): string {
  return html.replace(
    /<blockquote>\s*<p>\[!([A-Z]+)\](?:<br \/>)?\s*(.*?)<\/blockquote>/gs,
    (quotation, name: string, rest: string) => {
      const kind = name.toLowerCase()
      const icon = Object.entries(octicons).find(([known]) => known === kind)?.[1]
      if (icon === undefined) return quotation
      const svg = `<svg class="octicon" viewBox="0 0 16 16" width="16" height="16"><path d="${icon}"/></svg>`
      const title = `<p class="markdown-alert-title">${svg} ${name[0]}${kind.slice(1)}</p>`
      return `<div class="markdown-alert markdown-alert-${kind}">${title}<p>${rest}</div>`
    }
  )
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
