import { simulate } from '../../simulator/simulate.ts'
import { commit, repository } from '../../support/git.ts'
import { environment, PROGRAM, startCommand } from '../../support/program.ts'
import { stopped } from './clock.ts'
import { change, checkout, edit, secrets, sites, wanted } from './retail.ts'

/** The Markdown on GitHub during the week of a fleet. */
export interface Week {
  readonly comment: string
  readonly issue: string
}

/** The reports of a week, with the simulator on this port (0: any). Throws if a text is missing. */
export async function week(port: number): Promise<Week> {
  let now = '2026-11-16T06:00:00Z'
  const { simulator } = await simulate({ sites: sites(), port, clock: () => Date.parse(now) })
  const service = { WLANCTL_BASE_URL: simulator.url, WLANCTL_API_TOKEN: simulator.token }
  const run = async (time: string, cwd: string, line: string, env = {}) => {
    now = time
    const words = [...stopped(time), PROGRAM, ...line.split(' ')]
    const options = { cwd, env: { ...environment(), ...service, ...env } }
    return (await startCommand(process.execPath, words, options).ended).stdout
  }
  const main = checkout()
  await run('2026-11-16T06:00:00Z', main, 'apply . --yes --max-changes all', secrets)
  await run('2026-11-16T06:00:00Z', main, 'snapshot . --out snapshot.json')

  edit(simulator, 'store-kiel', 'Free Wi-Fi', { isolation: false })
  const branch = checkout()
  repository(branch)
  change(branch, wanted)
  commit(branch)
  const base = '--base HEAD~1'
  const comment = await run('2026-11-16T09:30:00Z', branch, `plan . ${base} --format markdown`)

  edit(simulator, 'store-bonn', 'Tills 7', { bands: ['24', '5'] })
  for (const store of ['store-aachen', 'store-dresden', 'store-mainz']) {
    edit(simulator, store, 'Staff', { roam_mode: 'NONE' })
  }
  const issue = await run(
    '2026-11-18T06:00:00Z',
    main,
    'drift . --since snapshot.json --format markdown'
  )
  return {
    comment: written('comment', comment),
    issue: written('issue', issue)
  }
}

function written(what: string, text: string): string {
  if (!text.includes('###')) throw new Error(`the program wrote no ${what}: ${text}`)
  return text
}
