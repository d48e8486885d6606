import { linesOf, type Piece } from './ansi.ts'

/** The font size in pixels; a column of a monospace font is at most 0.61 times as wide. */
const SIZE = 13
const COLUMN = SIZE * 0.61
const LINE = 18
const MARGIN = 16
const BAR = 28

/** GitHub's light colours, which are readable on its dark page, too, in a separate window. */
const style = [
  'text{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace',
  `font-size:${SIZE}px;fill:#1f2328;white-space:pre}`,
  '.bold{font-weight:600}',
  '.faint{fill:#59636e}',
  '.red{fill:#d1242f}',
  '.green{fill:#1a7f37}',
  '.yellow{fill:#9a6700}'
]
  .join(';')
  .replaceAll('};', '}')

const dots = ['#ff5f57', '#febc2e', '#28c840']

/** A terminal window with a command and its output as SVG; `output` may contain SGR colours. */
export function terminal(command: string, output: string, columns: number): string {
  const prompt = [
    { text: '$ ', looks: ['faint'] },
    { text: command, looks: ['bold'] }
  ]
  const lines = [prompt, ...linesOf(output, columns)]
  const width = Math.ceil(columns * COLUMN) + 2 * MARGIN
  const height = BAR + lines.length * LINE + MARGIN
  const rows = lines.map((line, at) => row(line, BAR + (at + 1) * LINE))
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(`$ ${command}`)}</title>`,
    `<style>${escaped(style)}</style>`,
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" fill="#ffffff" stroke="#d1d9e0"/>`,
    ...dots.map((colour, at) => `<circle cx="${18 + at * 18}" cy="16" r="5" fill="${colour}"/>`),
    ...rows.filter(text => text !== ''),
    '</svg>\n'
  ].join('\n')
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
