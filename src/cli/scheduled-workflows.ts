import { readdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { type Desired, hasSchedule } from '../core/model/desired.ts'
import { type Finding, finding } from '../core/model/finding.ts'
import { byCodeUnit } from '../core/values/collections.ts'
import { readRegularFile } from '../fleet/secrets/regular-file.ts'
import { isCheckout } from './files/files.ts'

/** The bounds of the search: folders above the fleet, files of a folder, and bytes of a file. */
const [MAX_FOLDERS, MAX_FILES, MAX_BYTES] = [20, 100, 256 * 1024]

/** A warning if workflows of the repository run wlanctl, but none runs a scheduled apply, which the fleet needs. */
export async function scheduleFindings(
  desired: Pick<Desired, 'calendar' | 'policy' | 'sites'>,
  fleet: string,
  cwd: string
): Promise<Finding[]> {
  if (!hasSchedule(desired)) return []
  const workflows = (await workflowsAround(resolve(cwd, fleet))).filter(runsWlanctl)
  const [first] = workflows
  return first === undefined || workflows.some(isScheduled)
    ? []
    : [finding('SCHEDULE_MISSING', {}, first.forge)]
}

/** True for a command such as `"$RUNNER_TEMP/wlanctl/bin/wlanctl" ci plan`, but not for a mention. */
function runsWlanctl({ text }: Workflow): boolean {
  return /wlanctl(?:\.js)?["']?\s+(?:ci|plan|apply|drift)\b/.test(text)
}

function isScheduled({ text }: Workflow): boolean {
  return /\bci\s+scheduled\b|\s--scheduled\b/.test(text)
}

interface Workflow {
  readonly forge: 'github' | 'gitlab'
  /** Without comments. */
  readonly text: string
}

/** The workflows of the repository of a folder; empty if it has none. */
async function workflowsAround(folder: string): Promise<readonly Workflow[]> {
  let at = folder
  for (let n = 0; n < MAX_FOLDERS; n++) {
    const found = await workflowsIn(at)
    if (found.length > 0 || (await isCheckout(at)) || dirname(at) === at) return found
    at = dirname(at)
  }
  return []
}

async function workflowsIn(folder: string): Promise<readonly Workflow[]> {
  const github = join(folder, '.github', 'workflows')
  const names = await readdir(github).catch(() => [])
  const files = names.filter(name => /\.ya?ml$/.test(name)).sort(byCodeUnit)
  return [
    ...files
      .slice(0, MAX_FILES)
      .map(name => ({ forge: 'github' as const, file: join(github, name) })),
    { forge: 'gitlab' as const, file: join(folder, '.gitlab-ci.yml') }
  ].flatMap(({ forge, file }) => {
    const reading = readRegularFile(file, { most: MAX_BYTES })
    if (!('bytes' in reading)) return []
    const text = reading.bytes.toString('utf8').replace(/^\s*#.*$/gm, '')
    return [{ forge, text }]
  })
}
