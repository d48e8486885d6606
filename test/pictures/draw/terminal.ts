import { linesOf, type Piece } from './ansi.ts'

/** The font size in pixels; a column of a monospace font is at most 0.61 times as wide. */
const SIZE = 13
const COLUMN = SIZE * 0.61
const LINE = 18
const MARGIN = 16
const BAR = 28

/** GitHub's colours, light and dark. */
const style = [
  `text{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;font-size:${SIZE}px;white-space:pre}`,
  'text{fill:#1f2328}.window{fill:#ffffff;stroke:#d1d9e0}.bold{font-weight:600}',
  '.faint{fill:#59636e}.red{fill:#d1242f}.green{fill:#1a7f37}.yellow{fill:#9a6700}',
  '@media(prefers-color-scheme:dark){text{fill:#f0f6fc}.window{fill:#0d1117;stroke:#3d444d}',
  '.faint{fill:#9198a1}.red{fill:#f85149}.green{fill:#3fb950}.yellow{fill:#d29922}}'
].join('')

const dots = ['#ff5f57', '#febc2e', '#28c840']

/** The seconds that a scene of a film is shown. */
const SCENE = 6

/**
 * A terminal window with a command and its output as SVG; the output may contain SGR colours. Several scenes are a film, of
 * which a reader who asks for less motion sees the first.
 */
export function terminal(command: string, scenes: readonly string[], columns: number): string {
  const prompt = [
    { text: '$ ', looks: ['faint'] },
    { text: command, looks: ['bold'] }
  ]
  const screens = scenes.map(output => [prompt, ...linesOf(output, columns)])
  const longest = Math.max(...screens.map(lines => lines.length))
  const width = Math.ceil(columns * COLUMN) + 2 * MARGIN
  const height = BAR + longest * LINE + MARGIN
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(`$ ${command}`)}</title>`,
    `<style>${escaped(style + film(scenes.length))}</style>`,
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" class="window"/>`,
    ...dots.map((colour, at) => `<circle cx="${18 + at * 18}" cy="16" r="5" fill="${colour}"/>`),
    ...screens.map((lines, at) => {
      const rows = lines.map((line, number) => row(line, BAR + (number + 1) * LINE))
      const drawn = rows.filter(text => text !== '').join('\n')
      return screens.length === 1 ? drawn : `<g class="scene" id="scene-${at}">\n${drawn}\n</g>`
    }),
    '</svg>\n'
  ].join('\n')
}

/** The style that shows one scene after the other; without motion the first one stays. */
function film(scenes: number): string {
  if (scenes === 1) return ''
  const part = 100 / scenes
  const all = Array.from({ length: scenes }, (_, at) => at)
  return [
    '.scene{opacity:0}#scene-0{opacity:1}@media(prefers-reduced-motion:no-preference){',
    `.scene{animation:${scenes * SCENE}s step-end infinite}`,
    ...all.map(at => `#scene-${at}{animation-name:scene-${at}}`),
    '}',
    ...all.map(at => {
      const from = at === 0 ? '0%{opacity:1}' : `0%{opacity:0}${(at * part).toFixed(2)}%{opacity:1}`
      const to = at === scenes - 1 ? '' : `${((at + 1) * part).toFixed(2)}%{opacity:0}`
      return `@keyframes scene-${at}{${from}${to}}`
    })
  ].join('')
}

function row(pieces: readonly Piece[], y: number): string {
  if (pieces.length === 0) return ''
  return `<text x="${MARGIN}" y="${y}">${pieces.map(span).join('')}</text>`
}

function span({ text, looks }: Piece): string {
  if (looks.length === 0) return escaped(text)
  return `<tspan class="${looks.join(' ')}">${escaped(text)}</tspan>`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
