import type { Result } from '../../src/ci/command.ts'
import { nth } from '../support/ids.ts'

export const SITES = ['a', 'b', 'c'] as const

export type SiteName = (typeof SITES)[number]

/** Texts of files by path. */
export type Texts = Readonly<Record<string, string>>

/** A fleet of three sites with a corp network each; live is as declared. */
export function fleet(sites: Partial<Record<SiteName, string>> = {}, policy = ''): Texts {
  const files = SITES.map(name => site(name, sites[name] ?? 'vlan_id: 10'))
  return {
    ...Object.assign({}, ...files),
    'fleet/policy.yaml': `policy: { max_change_percent: 100, unwatched: ignore${policy} }\n`,
    'README.md': 'Wi-Fi\n'
  }
}

/** The file of a site with these fields of its network. */
export function site(name: SiteName, fields: string): Texts {
  const block = fields.split('\n').map(line => `    ${line}\n`)
  const at = `site: { id: ${idOf(name)}, name: ${name} }\n`
  return { [`fleet/${name}.yaml`]: `${at}wlans:\n  corp:\n    ssid: Corp\n${block.join('')}` }
}

/** The site b with this VLAN. */
export const B = (vlan: number) => site('b', `vlan_id: ${vlan}`)

export const idOf = (name: SiteName) => nth(SITES.indexOf(name) + 1)
export const wlanOf = (name: SiteName) => nth(SITES.indexOf(name) + 11)

/** The sites of the service. */
export const live = SITES.map(name => ({
  id: idOf(name),
  name,
  wlans: [
    {
      ...{ id: wlanOf(name), ssid: 'Corp', vlan_id: 10, isolation: false, enabled: true },
      portal: { enabled: true }
    }
  ]
}))

/** What a result leaves open and has settled: `#1001 b/corp`, with the status. */
export function linesOf({ open = [], settled = [] }: Partial<Result>) {
  return {
    open: open.map(({ pull, address }) => `#${pull} ${address}`),
    why: open.map(({ why }) => why),
    settled: settled.map(({ pull, address, status }) => `#${pull} ${address} ${status}`)
  }
}
