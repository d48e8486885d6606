import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { exit, Failure } from '../../core/model/failure.ts'
import { groupBy } from '../../core/values/collections.ts'
import { plural } from '../../core/values/text.ts'
import { escapeCode } from '../../report/escape.ts'
import { readBranch } from '../branch.ts'
import { type Ending, type Job, reportOptions, shortened, textOf } from '../command.ts'

/** The JSON of `wlanctl adopt`. */
interface Adoption {
  readonly adopted: readonly Field[]
  readonly left: readonly Field[]
}

interface Field {
  readonly address: string
  readonly pointer: string
  readonly less_safe?: boolean
}

/** Writes the live values into the files of the checkout, and opens or updates a pull request with them and its plan. */
export async function adopt(job: Job): Promise<Ending> {
  const { forge, ours, fleet, options, results } = job
  await readBranch(job)
  const argv = ['adopt', fleet, '--yes', '--format', 'json', ...options]
  const { code, reason, output } = await job.program(argv, { isCaptured: true })
  if (code !== exit.done && code !== exit.incomplete) return { code, reason }
  const adoption = JSON.parse(output) as Adoption
  const files = await editedFiles(job)
  const report = join(results, 'report.md')
  if (files.size > 0) {
    await job.program(['plan', fleet, ...reportOptions(job)])
  }
  const planned = files.size === 0 ? '' : ((await textOf(report)) ?? '')
  const text = [
    adoptionReport(adoption, files.size),
    planned.replace(/^<!-- wlanctl:[^\n]*\n+/, '')
  ]
  await writeFile(report, `${text.join('\n').trimEnd()}\n`)
  if (files.size === 0) return { code: exit.done, reason }
  const proposal = {
    ...{ branch: `wlanctl/adopt-${ours.name}`, title: `Adopt the live values of ${ours.name}` },
    ...{ topic: `adopt:${ours.name}`, parent: forge.run.commit, files },
    body: shortened(`${text.join('\n')}\n${forge.startsRuns ? '' : RESTART}`, forge)
  }
  const pull = await forge.ensurePullRequest(proposal)
  if (pull === undefined) {
    throw new Failure(
      exit.refused,
      `the branch ${proposal.branch} has commits of its own; no pull request was opened`,
      'merge or delete it, and run this again'
    )
  }
  return {
    code: exit.done,
    reason,
    pulls: [pull.number],
    notes: [`Pull request: ${pull.url}`]
  }
}

const RESTART =
  '\nMerging it changes no WLAN if its plan is empty. The forge starts no checks for what a job opens: close and reopen this pull request to have it planned.\n'

function adoptionReport({ adopted, left }: Adoption, files: number): string {
  if (adopted.length === 0) return '### 🟢 Adopt: nothing to adopt\n'
  const list = (fields: readonly Field[]) =>
    [...groupBy(fields, ({ address }) => address)].slice(0, 200).map(([address, own]) => {
      const pointers = own.slice(0, 20).map(({ pointer, less_safe }) => {
        return `\`${escapeCode(pointer)}\`${less_safe ? ' ⚠ less secure' : ''}`
      })
      return `- \`${escapeCode(address)}\`: ${pointers.join(', ')}\n`
    })
  const rest =
    left.length === 0 ? [] : ['\n**Not adopted**, these still differ:\n\n', ...list(left)]
  return [
    `### 🔵 Adopt: ${plural(adopted.length, 'field')} in ${plural(files, 'file')}\n\n`,
    'The files get the live values of these fields:\n\n',
    ...[...list(adopted), ...rest]
  ].join('')
}

/** The files of the fleet that differ from the commit, by path in the repository. */
async function editedFiles({ git, fleet, cwd }: Job) {
  const lists = [
    ['diff', '--name-only', '-z', '--relative', 'HEAD', '--', fleet],
    ['ls-files', '--others', '--exclude-standard', '-z', '--', fleet]
  ]
  const [edited = [], added = []] = await Promise.all(
    lists.map(async words => (await git(words)).stdout.toString().split('\0').filter(Boolean))
  )
  const prefix = (await git(['rev-parse', '--show-prefix'])).stdout.toString().trim()
  const files = new Map<string, { readonly text: string; readonly isNew: boolean }>()
  for (const [paths, isNew] of [
    [edited, false],
    [added, true]
  ] as const) {
    for (const path of paths.filter(each => /\.ya?ml$/.test(each))) {
      files.set(prefix + path, { text: await readFile(join(cwd, path), 'utf8'), isNew })
    }
  }
  return files
}
