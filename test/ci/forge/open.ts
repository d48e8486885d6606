import type { Forge } from '../../../src/ci/forge.ts'
import { openForge } from '../../../src/ci/open-forge.ts'
import type { StartedJob } from './forge.ts'

/** The forge as the program of a job sees it, with pauses of milliseconds instead of seconds. */
export function forgeOf(job: StartedJob, env: StartedJob['env'] = {}): Promise<Forge> {
  return openForge({ env: { ...job.env, ...env }, userAgent: 'wlanctl/test', pause: 1 })
}

/** All entries of a list. */
export async function all<Entry>(list: AsyncIterable<Entry>): Promise<Entry[]> {
  const entries: Entry[] = []
  for await (const entry of list) entries.push(entry)
  return entries
}
