import { type Command, Option } from 'commander'
import type { Desired, DesiredSite, DesiredWlan } from '../core/model/desired.ts'
import { type Failure, wrongInput } from '../core/model/failure.ts'
import { matchesGlob } from '../core/values/glob.ts'
import { quote } from '../core/values/text.ts'
import { Suggestions } from '../fleet/expect.ts'
import { referencesOnly, type SecretOptions } from '../fleet/secrets/source.ts'
import { type Fleet, loadDesired } from './load-desired.ts'
import { addGroup, addOptions, groups } from './options.ts'
import type { Io } from './terminal/io.ts'

/** `yaml` and `json`: the blocks that declare the WLANs, by address; `worksheet`: their settings one by one. */
export const effectiveForms = ['yaml', 'json', 'worksheet'] as const

export type EffectiveForm = (typeof effectiveForms)[number]

/** The options of commands that take WLANs as arguments and read only the files. */
export interface DeclaredOptions extends Pick<SecretOptions, 'secretPrefix'> {
  readonly fleet: string
  readonly color?: boolean
}

export function addDeclaredOptions(command: Command): Command {
  return addGroup(
    addOptions(command, 'secretPrefix'),
    groups.selection,
    new Option('--fleet <dir>', 'the directory with the YAML files').default('.')
  )
}

/** Loads the whole fleet without resolving secrets or sending requests. */
export function loadDeclared(options: DeclaredOptions, io: Io): Promise<Fleet> {
  const secrets = referencesOnly(options.secretPrefix)
  const { fleet, color = true } = options
  const display = { format: 'text', report: [], quiet: true, color, fleet } as const
  return loadDesired(fleet, { site: [], wlan: [], isOffline: true, ...display }, secrets, io)
}

export interface DeclaredWlan {
  readonly site: DesiredSite
  readonly wlan: DesiredWlan
}

/**
 * The WLANs with these addresses or globs, or of sites with these names, in the order of the fleet; all
 * WLANs without any. Throws a `Failure` (exit 3) for one without a match.
 */
export function declaredWlans(addresses: readonly string[], desired: Desired): DeclaredWlan[] {
  const all = allWlans(desired)
  const fits = ({ site: { name }, wlan: { address } }: DeclaredWlan, glob: string) =>
    address === glob || name === glob || matchesGlob(address, glob)
  const unknown = addresses.find(glob => !all.some(each => fits(each, glob)))
  if (unknown !== undefined) throw unknownWlan(unknown, desired)
  return all.filter(each => addresses.length === 0 || addresses.some(glob => fits(each, glob)))
}

/** The WLAN with this address. Throws a `Failure` (exit 3) if the fleet does not declare it. */
export function declaredWlan(address: string, desired: Desired): DeclaredWlan {
  const found = allWlans(desired).find(({ wlan }) => wlan.address === address)
  if (found === undefined) throw unknownWlan(address, desired)
  return found
}

function allWlans({ sites }: Desired): DeclaredWlan[] {
  return sites.flatMap(site => site.wlans.map(wlan => ({ site, wlan })))
}

function unknownWlan(address: string, desired: Desired): Failure {
  const known = address.includes('/')
    ? allWlans(desired).map(({ wlan }) => wlan.address)
    : desired.sites.map(({ name }) => name)
  const near = new Suggestions().near(address, known)
  return wrongInput(
    `the fleet declares no WLAN ${quote(address)}`,
    near === undefined
      ? 'an address is the name of a site and the key of a WLAN, such as hq/guest; `wlanctl explain --as yaml` lists all'
      : `did you mean ${quote(near)}?`
  )
}
