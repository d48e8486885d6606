import { type Fleet, fleet } from './fleet.ts'

/** Edits before the check of a day, in the web console or with the program. */
type Doing = (on: Fleet) => unknown

/** Every nth of the first sites. */
const each = (step: number, first: number, count: number) =>
  Array.from({ length: count }, (_, nth) => first + step * nth)

/** The indexes of hospitals and schools; all other sites are shops. */
const hospitals = each(4, 3, 20)
const schools = each(4, 83, 16)
const stores = each(4, 0, 37)

const days: Readonly<Record<string, Doing>> = {
  10: on => on.edit(stores.slice(0, 12), 'Voice', { vlan_id: 51 }),
  11: on => on.edit(stores.slice(4, 30), 'Guest', { wlan_limit_down: 50_000 }),
  12: on => {
    on.edit(hospitals.slice(2, 8), 'Scanners', { hide_ssid: false })
    for (const site of [20, 44]) on.forget(site)
  },
  13: async on => {
    await on.run('2026-11-12T16:00:00Z', 'apply sites --yes --max-changes all --site Store*')
    on.edit(schools.slice(0, 9), 'Guest', { isolation: false })
  },
  14: on => {
    on.edit(stores.slice(6, 15), 'Corp', { roam_mode: 'NONE' })
    on.forget(52)
  },
  15: on => {
    on.edit(schools.slice(2, 4), 'IoT', { ssid: 'IoT (old)' })
    on.edit(stores.slice(0, 20), 'Guest', { wlan_limit_down: 50_000 })
  },
  16: on => {
    on.edit(hospitals.slice(3, 4), 'Voice', { ssid: 'Voice test' })
    on.edit(hospitals.slice(3, 4), 'Corp', { vlan_id: 21 })
    on.edit(hospitals.slice(10, 11), 'Staff', { bands: ['24', '5', '6'], vlan_id: 31 })
    on.remove(10, 'Scanners')
    on.simulator.set({ fail: [unreadable(on, 62), unreadable(on, 75)] })
  }
}

/** The site that the service does not respond for. */
function unreadable({ sites }: Fleet, nth: number) {
  return { path: sites[nth]?.id ?? '', times: 'always', answer: { status: 503 } } as const
}

/** The last report, as HTML, of a week of a fleet with a check every morning, with the simulator on this port (0: any). */
export async function checksOfDays(port: number): Promise<string> {
  const on = await fleet(port)
  let html = ''
  for (const [day, doing] of Object.entries(days)) {
    await doing(on)
    const line = 'drift sites --max-attempts 1 --quiet --format html'
    html = (await on.run(`2026-11-${day}T06:00:00Z`, line)).stdout
  }
  return html
}
