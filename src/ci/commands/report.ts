import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type ExitCode, exit, Failure } from '../../core/model/failure.ts'
import { compact } from '../../core/values/collections.ts'
import { codeSpan, prose } from '../../report/render/markdown.ts'
import { failureReport, type Job, parseResult, type Result, textIn } from '../command.ts'
import { DAY } from '../merged-pulls.ts'

interface Found {
  readonly result: Result
  readonly text: string
}

const commands = ['plan', 'apply', 'drift'] as const

/**
 * Writes what the results in the folder, or in its folders, and the ends of the jobs say: a comment for each pull request with
 * an outcome, and the issue of the fleet. A job that failed without a result is heard as well.
 */
export async function report(job: Job): Promise<ExitCode> {
  const { forge } = job
  const found = await readResults(job)
  const failed = await forge.failed()
  const sections: Sections = {}
  for (const command of commands) {
    const own = found.find(({ result }) => result.command === command)
    if (own === undefined && !failed.has(command)) continue
    const { result, text } = own ?? (await deadResult(job, command))
    for (const pull of result.pulls) {
      const body = `${cut(text, forge.maxBody - RESERVE)}\n\n${footer(result)}`
      await forge.comment(pull, `${command}:${job.name}`, body)
    }
    Object.assign(sections, sectionsOf(result, text))
  }
  if (Object.keys(sections).length > 0) await writeIssue(job, sections)
  return exit.done
}

/** The results of this fleet, the newest attempts first. A damaged one counts as absent. */
async function readResults({ results, name, log }: Job): Promise<readonly Found[]> {
  const entries = await readdir(results, { withFileTypes: true }).catch(() => [])
  const inside = entries.filter(entry => entry.isDirectory()).map(entry => entry.name)
  const found: Found[] = []
  for (const folder of ['', ...inside].map(each => join(results, each))) {
    const stored = await textIn(folder, 'result.json')
    if (stored === undefined) continue
    try {
      const result = parseResult(stored)
      if (result.name !== name) continue
      const text = await textIn(folder, 'report.md')
      found.push({ result, text: text ?? `### ${prose(result.verdict)}\n` })
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      await log(`a result is not used: ${error.message}`)
    }
  }
  const newer = new Intl.Collator('en', { numeric: true })
  return found.sort((a, b) => newer.compare(b.result.url, a.result.url))
}

const DIED = 'The run ended without a result'
const DIED_HINT =
  'It was stopped, the forge did not answer it, or its result was not stored: its log has the reason.'

/** What is said of a job that left no result. Its pull requests are those of the commit. */
async function deadResult(job: Job, command: Result['command']): Promise<Found> {
  const { forge, name } = job
  const { run } = forge
  const pulls: number[] = run.pull === undefined ? [] : [run.pull.number]
  if (command === 'apply') {
    for await (const pull of forge.mergedSince(new Date(job.now().getTime() - DAY))) {
      if (pull.commits.includes(run.commit)) pulls.push(pull.number)
    }
  }
  const common = { format: 'wlanctl-ci/1', command, name, url: run.url } as const
  const result: Result = { ...common, code: exit.failed, verdict: DIED, pulls, drift: 'failed' }
  return { result, text: failureReport(`${command}: ${DIED}`, DIED_HINT) }
}

/** Characters of a body for its topic and footer. */
const RESERVE = 5500

const titles = {
  drift: 'Drift',
  failed: 'Failed applies',
  waiting: 'Waiting',
  expired: 'Expired waivers'
} as const

type Section = keyof typeof titles
type Sections = Partial<Record<Section, string>>

/** What a result says of each section that it knows about; an empty one goes. */
function sectionsOf(result: Result, text: string): Sections {
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
async function writeIssue({ forge, name }: Job, sections: Sections): Promise<void> {
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

function cut(text: string, most: number): string {
  if (text.length <= most) return text.trim()
  return `${text.slice(0, most).trim()}\n\n… (the run has all of it)`
}

/** The last line of a comment, and of a section of the issue. */
function footer({ url }: Pick<Result, 'url'>): string {
  return `<sub>[The run](${url}), with its log and artifacts: \`report.html\` shows all of it in a browser</sub>\n`
}
