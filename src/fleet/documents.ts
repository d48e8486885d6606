import { basename } from 'node:path/posix'
import { type Finding, finding } from '../core/model/finding.ts'
import { nearest } from '../core/schema/nearest.ts'
import { append } from '../core/values/collections.ts'
import { checkKeys, checkName, expectMap, itemsIn } from './expect.ts'
import { at, atKey } from './files/source.ts'
import type { Findings } from './findings.ts'
import { type Entry, isNull, type MapNode, type Node, type SourceFile } from './yaml/tree.ts'

export interface Declarations {
  readonly sites: readonly SiteDeclaration[]
  /** By name; unique in the fleet. */
  readonly profiles: ReadonlyMap<string, Entry>
  /** By name; unique in the fleet. */
  readonly groups: ReadonlyMap<string, Entry>
  readonly policy: MapNode | undefined
  readonly tests: readonly Node[]
}

/** A `site`, or an item of `sites`, with the WLANs that its file declares for it. */
export interface SiteDeclaration {
  readonly map: MapNode
  /** The name of the file, used as the name of the site if no declaration sets one. */
  readonly defaultName: string | undefined
  /** The blocks by key; the same map for all sites of a file. */
  readonly wlans: ReadonlyMap<string, Entry>
}

const KEYS = ['site', 'sites', 'wlans', 'profiles', 'groups', 'policy', 'tests']

export function collect(files: Iterable<FileDeclarations>, findings: Findings): Declarations {
  const sites: SiteDeclaration[] = []
  const profiles = new Map<string, Entry>()
  const groups = new Map<string, Entry>()
  const tests: Node[] = []
  let policy: Entry | undefined
  for (const file of files) {
    append(sites, file.sites)
    addNamed('profile', file.top.get('profiles'), profiles, findings)
    addNamed('group', file.top.get('groups'), groups, findings)
    const own = file.top.get('policy')
    if (policy !== undefined && own !== undefined) {
      findings.push(finding('POLICY_TWICE', atKey(own), policy.value.source.file))
    }
    policy ??= own
    const declared = file.top.get('tests')
    if (declared !== undefined) tests.push(declared.value)
  }
  return { sites, profiles, groups, policy: policy && expectMap(policy.value, findings), tests }
}

export interface FileDeclarations {
  readonly sites: readonly SiteDeclaration[]
  readonly top: ReadonlyMap<string, Entry>
}

export function declarationsOf(source: SourceFile, findings: Findings): FileDeclarations {
  const top = topOf(source, findings)
  if (top === undefined) return { sites: [], top: new Map() }
  return { sites: sitesOf(top, findings), top: top.entries }
}

function topOf(source: SourceFile, findings: Findings): MapNode | undefined {
  const { root } = source
  if (root === undefined) return undefined
  if (isNull(root) || (root.kind === 'map' && root.entries.size === 0)) {
    findings.push(finding('FILE_EMPTY', { place: source.place(0) }))
    return undefined
  }
  if (isForeign(root)) {
    const keys = root.kind === 'map' ? [...root.entries.keys()] : []
    findings.push(finding('FILE_NOT_OF_FLEET', at(root), keys, KEYS))
    return undefined
  }
  const top = expectMap(root, findings)
  if (top !== undefined) checkKeys(top, KEYS, findings)
  return top
}

/** True for a file of another program: a list, or a map without a key that resembles one of a fleet. */
function isForeign(root: Node): boolean {
  if (root.kind !== 'map') return root.kind === 'list'
  return [...root.entries.keys()].every(
    key => !KEYS.includes(key) && nearest(key, KEYS) === undefined
  )
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
  const blocks = wlans === undefined ? NO_BLOCKS : blocksOf(wlans, findings)
  const maps = [...(site === undefined ? [] : [site.value]), ...itemsIn(sites?.value, findings)]
  const defaultName =
    maps.length === 1 ? basename(top.source.inFleet).replace(/\.ya?ml$/, '') : undefined
  return maps.flatMap(node => {
    if (findings.full) return []
    if (isNull(node)) findings.push(withoutId(node))
    const map = isNull(node) ? undefined : expectMap(node, findings)
    return map === undefined ? [] : [{ map, defaultName, wlans: blocks }]
  })
}

const NO_BLOCKS: ReadonlyMap<string, Entry> = new Map()

function blocksOf(wlans: Entry, findings: Findings): ReadonlyMap<string, Entry> {
  const blocks = expectMap(wlans.value, findings)?.entries ?? NO_BLOCKS
  const named = [...blocks].filter(([key, entry]) => isBlockName(key, entry, findings))
  // The map of the file is not copied, since a fleet may have thousands.
  return named.length === blocks.size ? blocks : new Map(named)
}

export function withoutId(node: Node): Finding {
  return finding('KEY_MISSING', at(node), 'site', 'id', 'add the UUID of the site in the service')
}

export function isBlockName(key: string, entry: Entry, findings: Findings): boolean {
  if (!checkName(key, entry, findings)) return false
  const isPart = key.includes('/')
  if (isPart) findings.push(finding('NAME_UNFIT', atKey(entry), key, 'it holds a `/`'))
  return !isPart
}

/** Adds the entries of a map to those of other files; a duplicate name is a finding. */
function addNamed(
  kind: 'profile' | 'group',
  declared: Entry | undefined,
  all: Map<string, Entry>,
  findings: Findings
): void {
  if (declared === undefined) return
  for (const [name, entry] of expectMap(declared.value, findings)?.entries ?? []) {
    const first = all.get(name)
    if (first !== undefined) {
      findings.push(finding('NAME_TWICE', atKey(entry), kind, name, first.value.source.file))
    } else if (checkName(name, entry, findings)) all.set(name, entry)
  }
}
