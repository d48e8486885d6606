import { basename } from 'node:path/posix'
import { finding } from '../model/finding.ts'
import { checkKeys, checkName, expectList, expectMap } from './expect.ts'
import { at, atKey } from './files/source.ts'
import type { Findings } from './findings.ts'
import { type Entry, isNull, type MapNode, type SourceFile } from './yaml/tree.ts'

/** The declarations in the files of a fleet, by kind; nothing is resolved yet. */
export interface Declarations {
  readonly sites: readonly SiteDeclaration[]
  /** By name; unique in the fleet. */
  readonly profiles: ReadonlyMap<string, Entry>
  readonly policy: MapNode | undefined
}

/** A `site`, or an item of `sites`, with the WLANs that its file declares for it. */
export interface SiteDeclaration {
  readonly map: MapNode
  /** The name of the file, used if no declaration has a name. */
  readonly defaultName: string | undefined
  /** Returns the blocks by key; the same map for all sites of a file while its tree is held. */
  readonly wlans: () => ReadonlyMap<string, Entry>
}

const KEYS = ['site', 'sites', 'wlans', 'profiles', 'policy']

/** Collects what the files declare. */
export function collect(sources: readonly SourceFile[], findings: Findings): Declarations {
  const collector = new Collector(findings)
  for (const source of sources) collector.add(source)
  return collector.declarations()
}

/** Collects what files declare, one after the other. */
export class Collector {
  readonly #findings: Findings
  readonly #sites: SiteDeclaration[] = []
  readonly #profiles = new Map<string, Entry>()
  #policy: Entry | undefined

  constructor(findings: Findings) {
    this.#findings = findings
  }

  /** Gives the sites of the file. */
  add(source: SourceFile): readonly SiteDeclaration[] {
    const findings = this.#findings
    const top = topOf(source, findings)
    if (top === undefined) return []
    const sites = sitesOf(top, findings)
    for (const site of sites) this.#sites.push(site)
    addProfiles(top.entries.get('profiles'), this.#profiles, findings)
    const declared = top.entries.get('policy')
    if (this.#policy !== undefined && declared !== undefined) {
      findings.push(finding('POLICY_TWICE', atKey(declared), this.#policy.value.source.file))
    }
    this.#policy ??= declared
    return sites
  }

  declarations(): Declarations {
    const policy = this.#policy && expectMap(this.#policy.value, this.#findings)
    return { sites: this.#sites, profiles: this.#profiles, policy }
  }
}

function topOf(source: SourceFile, findings: Findings): MapNode | undefined {
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
  const { source } = top
  const blocks = wlans === undefined ? () => NO_BLOCKS : () => blocksIn(source, findings)
  blocks()
  const maps = [
    ...(site === undefined ? [] : [site.value]),
    ...(sites === undefined ? [] : (expectList(sites.value, findings)?.items ?? []))
  ]
  const defaultName = maps.length === 1 ? nameOf(top.source) : undefined
  return maps.flatMap(node => {
    if (isNull(node)) findings.push(finding('SITE_ID_MISSING', at(node)))
    const map = isNull(node) ? undefined : expectMap(node, findings)
    return map === undefined ? [] : [{ map, defaultName, wlans: blocks }]
  })
}

const NO_BLOCKS: ReadonlyMap<string, Entry> = new Map()

/** A cache by the entry of `wlans`, while its tree is held. */
const known = new WeakMap<Entry, ReadonlyMap<string, Entry>>()

function blocksIn({ root }: SourceFile, findings: Findings): ReadonlyMap<string, Entry> {
  const wlans = root?.kind === 'map' ? root.entries.get('wlans') : undefined
  if (wlans === undefined) return NO_BLOCKS
  const blocks = known.get(wlans) ?? blocksOf(wlans, findings)
  known.set(wlans, blocks)
  return blocks
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
function nameOf(source: SourceFile): string {
  return basename(source.inFleet).replace(/\.ya?ml$/, '')
}
