import { town } from '../../workflows/fake/town.ts'
import { stopNode } from './clock.ts'
import { checkout, edit, secrets, sites, wanted } from './retail.ts'

/** The edits of a pull request from a fork. */
const wantedFromOutside = {
  'store-hamburg.yaml': { 'vlan_id: 70': 'vlan_id: 75\n    max_idletime: 3600' }
}

/** The Markdown on GitHub during the week of a fleet. */
export interface Week {
  readonly comment: string
  readonly summary: string
  readonly issue: string
}

/** The workflows of a week, with the simulator on this port (0: any). Throws if a text is missing. */
export async function week(port: number): Promise<Week> {
  const { simulator, hub, ...walk } = await town({ sites: sites(), port }, secrets)
  const at = (time: string) => stopNode(hub.bin, time)
  at('2026-11-16T06:00:00Z')
  await walk.applyOf(checkout(), 'first')
  await walk.driftOf(checkout())

  edit(simulator, 'store-kiel', 'Free Wi-Fi', { isolation: false })
  at('2026-11-16T09:30:00Z')
  walk.open(41)
  await walk.planOf(41, checkout(wanted), 'aaa')
  at('2026-11-16T14:00:00Z')
  const fork = await walk.planFromForkOf(42, checkout(wantedFromOutside))

  at('2026-11-17T06:00:00Z')
  await walk.driftOf(checkout())
  edit(simulator, 'store-bonn', 'Tills 7', { bands: ['24', '5'] })
  for (const store of ['store-aachen', 'store-dresden', 'store-mainz']) {
    edit(simulator, store, 'Staff', { roam_mode: 'NONE' })
  }
  at('2026-11-18T06:00:00Z')
  await walk.driftOf(checkout())

  return {
    comment: written('comment', hub.state.comments[0]?.body),
    summary: written('summary', fork['plan-on-snapshot']?.summary),
    issue: written('issue', hub.state.issues[0]?.body)
  }
}

function written(what: string, text = ''): string {
  if (!text.includes('###')) throw new Error(`the workflows wrote no ${what}: ${text}`)
  return text
}
