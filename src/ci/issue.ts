import { exit } from '../core/model/failure.ts'
import { compact } from '../core/values/collections.ts'
import { codeSpan, prose } from '../report/render/markdown.ts'
import type { Job, Result } from './command.ts'

const titles = {
  drift: 'Drift',
  failed: 'Failed applies',
  waiting: 'Waiting',
  expired: 'Expired waivers'
} as const

type Section = keyof typeof titles
export type Sections = Partial<Record<Section, string>>

/** What a result says of each section that it knows about; an empty one goes. */
export function sectionsOf(result: Result, text: string): Sections {
  const { command, code, since, open = [], settled = [], drift, expired = [] } = result
  const body = `${text}\n${footer(result)}`
  if (command === 'plan') return {}
  if (command === 'drift') {
    const items = expired.map(message => `- ${prose(message)}`).join('\n')
    const isUnknown = drift === 'failed' || drift === 'incomplete'
    const known = isUnknown && items === '' ? undefined : items
    return compact({ drift: drift === 'none' ? '' : body, expired: known })
  }
  const lines = open.map(
    ({ pull, address, why }) => `- #${pull} ${codeSpan(address)}: ${prose(why)}`
  )
  // A run that had nothing to do does not make good what an earlier one failed to do.
  const over = settled.length > 0 ? '' : undefined
  return compact({
    failed: code === exit.done ? over : body,
    waiting: since && lines.slice(0, 100).join('\n')
  })
}

/** Makes the issue of the fleet have these sections, and keeps the others; closes it when all are empty. */
export async function writeIssue({ forge, name }: Job, sections: Sections): Promise<void> {
  await forge.issue(`fleet:${name}`, earlier => {
    const parts = (Object.keys(titles) as Section[]).flatMap(section => {
      const content = sections[section] ?? sectionIn(earlier, section)
      return content === ''
        ? []
        : `${mark(section)}\n## ${titles[section]}\n\n${cut(content, Math.floor(forge.maxBody / SHARE))}\n`
    })
    if (parts.length === 0) return undefined
    return { title: `wlanctl: ${name} needs attention`, body: `${parts.join('\n')}${END}\n` }
  })
}

const mark = (section: Section) => `<!-- section:${section} -->`
const END = '<!-- end -->'

function sectionIn(body = '', section: Section): string {
  const at = body.indexOf(mark(section))
  if (at < 0) return ''
  const rest = body.slice(at + mark(section).length)
  const text = rest.slice(0, Math.max(0, rest.search(/<!-- (?:section:\w+|end) -->/)))
  return text.replace(/^\s*## [^\n]*\n/, '').trim()
}

/** A section is at most this part of the body. */
const SHARE = 5

export function cut(text: string, most: number): string {
  if (text.length <= most) return text.trim()
  return `${text.slice(0, most).trim()}\n\n… (the run has all of it)`
}

/** The last line of a comment, and of a section of the issue. */
export function footer({ url }: Pick<Result, 'url'>): string {
  return `<sub>[The run](${url}), with its log and artifacts: \`report.html\` shows all of it in a browser</sub>\n`
}
