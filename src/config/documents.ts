import { basename } from 'node:path/posix'
import { finding } from '../model/finding.ts'
import { checkKeys, checkName, expectList, expectMap } from './checks/expect.ts'
import type { Findings } from './checks/findings.ts'
import { at, atKey, type Source } from './files/source.ts'
import { type Entry, isNull, type MapNode } from './yaml/tree.ts'

/** What the files of a fleet declare, put in order by what it is; nothing is resolved yet. */
export interface Declarations {
  readonly sites: readonly SiteDeclaration[]
  /** By name; unique in the fleet. */
  readonly profiles: ReadonlyMap<string, Entry>
  readonly policy: MapNode | undefined
}

/** A `site`, or an item of `sites`, with the WLANs that its file declares for it. */
export interface SiteDeclaration {
  readonly map: MapNode
  /** What the site is called if no declaration of it says so: the file's name. */
  readonly defaultName: string | undefined
  /** By key; the same map for all sites of a file. */
  readonly wlans: ReadonlyMap<string, Entry>
}

const KEYS = ['site', 'sites', 'wlans', 'profiles', 'policy']

/** Collects what the files declare. */
export function collect(sources: readonly Source[], findings: Findings): Declarations {
  const sites: SiteDeclaration[] = []
  const profiles = new Map<string, Entry>()
  let policy: Entry | undefined
  for (const source of sources) {
    const top = topOf(source, findings)
    if (top === undefined) continue
    for (const site of sitesOf(top, findings)) sites.push(site)
    addProfiles(top.entries.get('profiles'), profiles, findings)
    const declared = top.entries.get('policy')
    if (policy !== undefined && declared !== undefined) {
      findings.push(finding('POLICY_TWICE', atKey(declared), policy.value.source.file))
    }
    policy ??= declared
  }
  return { sites, profiles, policy: policy && expectMap(policy.value, findings) }
}

function topOf(source: Source, findings: Findings): MapNode | undefined {
  const { root } = source
  if (root === undefined) return undefined
  if (isNull(root) || (root.kind === 'map' && root.entries.size === 0)) {
    findings.push(finding('FILE_EMPTY', { place: source.place(0) }))
    return undefined
  }
  const top = expectMap(root, findings)
  if (top !== undefined) checkKeys(top, KEYS, findings)
  return top
}

function sitesOf(top: MapNode, findings: Findings): SiteDeclaration[] {
  const site = top.entries.get('site')
  const sites = top.entries.get('sites')
  const wlans = top.entries.get('wlans')
  if (site !== undefined && sites !== undefined) {
    findings.push(finding('SITE_AND_SITES', atKey(sites)))
  } else if (site === undefined && sites === undefined) {
    if (wlans !== undefined) findings.push(finding('WLANS_WITHOUT_SITE', atKey(wlans)))
    return []
  }
  const blocks = wlans === undefined ? new Map<string, Entry>() : blocksOf(wlans, findings)
  const maps = [
    ...(site === undefined ? [] : [site.value]),
    ...(sites === undefined ? [] : (expectList(sites.value, findings)?.items ?? []))
  ]
  const defaultName = maps.length === 1 ? nameOf(top.source) : undefined
  return maps.flatMap(node => {
    if (isNull(node)) findings.push(finding('SITE_ID_MISSING', at(node)))
    const map = expectMap(node, findings)
    return map === undefined ? [] : [{ map, defaultName, wlans: blocks }]
  })
}

function blocksOf(wlans: Entry, findings: Findings): ReadonlyMap<string, Entry> {
  const blocks = new Map(expectMap(wlans.value, findings)?.entries)
  for (const [key, entry] of blocks) {
    if (!checkName(key, entry, findings)) blocks.delete(key)
    else if (key.includes('/')) {
      findings.push(finding('NAME_UNFIT', atKey(entry), key, 'it holds a `/`'))
      blocks.delete(key)
    }
  }
  return blocks
}

function addProfiles(
  declared: Entry | undefined,
  profiles: Map<string, Entry>,
  findings: Findings
): void {
  if (declared === undefined) return
  for (const [name, entry] of expectMap(declared.value, findings)?.entries ?? []) {
    const first = profiles.get(name)
    if (first !== undefined) {
      findings.push(finding('PROFILE_TWICE', atKey(entry), name, first.value.source.file))
    } else if (checkName(name, entry, findings)) profiles.set(name, entry)
  }
}

/** The name of a file without its extension. */
function nameOf(source: Source): string {
  return basename(source.inFleet).replace(/\.ya?ml$/, '')
}
