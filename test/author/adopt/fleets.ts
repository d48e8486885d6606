import fc, { type Arbitrary } from 'fast-check'
import { Source } from '../../../src/fleet/files/source.ts'

/** The files of a generated fleet, and the live records of its sites. */
export interface Case {
  readonly sources: readonly Source[]
  /** Records by the id of the site. */
  readonly live: ReadonlyMap<string, readonly object[]>
}

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

const uuid = (kind: string, n: number) =>
  `${kind}-0000-4000-8000-${n.toString(16).padStart(12, '0')}`
const text = fc.constantFrom(
  ...['no', '010', '1e3', '~', 'a: b', '# x', "it's", '"q"', ' lead', 'a, b', '', '{{v}}', '😀'],
  'x\ny'
)
const aps = [1, 2, 3, 4].map(n => uuid('aaaaaaaa', n))

/** Values by the pointers of fields. */
export type FieldValues = Readonly<Record<string, Arbitrary<Json>>>

/** Fields of every kind that the planner and YAML distinguish, with their values. */
const fields: FieldValues = {
  '/enabled': fc.boolean(),
  '/hide_ssid': fc.boolean(),
  '/dtim': fc.integer({ min: 1, max: 9 }),
  '/vlan_id': fc.oneof(
    fc.integer({ min: 1, max: 40 }),
    fc.integer({ min: 1, max: 40 }).map(String)
  ),
  '/vlan_ids': fc.oneof(fc.constantFrom('10,20', '10, 30'), fc.constant([10, 20])),
  '/bands': fc.shuffledSubarray(['24', '5', '6'], { minLength: 1 }),
  '/ap_ids': fc.shuffledSubarray(aps, { maxLength: 3 }),
  // Without fields that require a secret, which the service could hide.
  '/auth/owe': fc.constantFrom('disabled', 'enabled', 'required'),
  '/auth/eap_reauth': fc.boolean(),
  '/portal/enabled': fc.boolean(),
  '/portal/forward_url': text,
  '/app_limit/apps': fc.dictionary(
    fc.constantFrom('netflix', 'no', 'a b'),
    fc.integer({ min: 1, max: 99 })
  ),
  '/auth_servers': fc.uniqueArray(
    fc.record({
      host: fc.constantFrom('10.0.0.1', '10.0.0.2', 'r.example'),
      port: fc.integer({ min: 1, max: 3 })
    }),
    { minLength: 1, maxLength: 3, selector: ({ host }) => host }
  )
}

/** The layer in which a field is declared. */
type Layer = 'own' | 'profile' | 'variable' | 'nowhere'

interface FieldCase {
  readonly pointer: string
  readonly layer: Layer
  readonly declared: Json
  /** By site: true if the site list declares it again in the override of the site. */
  readonly overridden: readonly boolean[]
  /** By site; undefined if the service does not have it. */
  readonly live: readonly (Json | undefined)[]
}

const SITES = 3

function fieldCases(values: FieldValues): Arbitrary<readonly FieldCase[]> {
  return fc
    .shuffledSubarray(Object.keys(values), { minLength: 3, maxLength: 9 })
    .chain(pointers =>
      fc.tuple(...pointers.map(pointer => fieldCase(pointer, values[pointer] ?? fc.constant(null))))
    )
}

function fieldCase(pointer: string, value: Arbitrary<Json>): Arbitrary<FieldCase> {
  return fc
    .tuple(value, fc.constantFrom<Layer>('own', 'own', 'profile', 'variable', 'nowhere'))
    .chain(([declared, layer]) => {
      const live = fc.oneof(
        { weight: 3, arbitrary: fc.constant(declared) },
        { weight: 3, arbitrary: value },
        { weight: 1, arbitrary: fc.constant(undefined) }
      )
      const overridden = fc.array(
        fc.integer({ max: 5, min: 0 }).map(n => n === 0),
        {
          minLength: SITES,
          maxLength: SITES
        }
      )
      return fc
        .tuple(overridden, ...Array.from({ length: SITES }, () => live))
        .map(([where, ...each]) => ({ pointer, layer, declared, overridden: where, live: each }))
    })
}

/** The layout of the files. */
interface CaseOptions {
  readonly flow: boolean
  readonly comments: boolean
  readonly anchors: boolean
  readonly eol: '\n' | '\r\n'
  /** All sites in one file with shared blocks, or each in its own file. */
  readonly together: boolean
}

const forms: Arbitrary<CaseOptions> = fc.record({
  flow: fc.boolean(),
  comments: fc.boolean(),
  anchors: fc.boolean(),
  eol: fc.constantFrom('\n', '\r\n'),
  together: fc.boolean()
})

/** Fleets of three sites with two WLANs each, whose declared and live values of these fields are similar. */
export function casesOf(values: FieldValues): Arbitrary<Case> {
  return fc.tuple(fieldCases(values), fieldCases(values), forms).map(([corp, guest, options]) => ({
    sources: sourcesOf({ corp, guest }, options),
    live: new Map(
      Array.from({ length: SITES }, (_, at) => [
        siteId(at),
        [record(at, 'corp', corp), record(at, 'guest', guest)]
      ])
    )
  }))
}

/** Fleets with fields of every kind. */
export const cases = casesOf(fields)

function siteId(at: number): string {
  return uuid('5173aaaa', at)
}

function record(site: number, ssid: string, declared: readonly FieldCase[]): object {
  const id = uuid(ssid === 'corp' ? 'c0c0c0c0' : 'e0e0e0e0', site)
  const known = declared.flatMap(({ pointer, live }) => {
    const value = live[site]
    return value === undefined ? [] : [[pointer, value] as const]
  })
  return { id, site_id: siteId(site), ssid, max_idletime: 1800, ...nested(known) }
}

function nested(
  members: Iterable<readonly [pointer: string, value: unknown]>
): Record<string, unknown> {
  const top: Record<string, Record<string, unknown>> = {}
  for (const [pointer, value] of members) {
    const [first = '', second] = pointer.split('/').slice(1)
    if (second === undefined) Object.assign(top, { [first]: value })
    else top[first] = { ...top[first], [second]: value }
  }
  return top
}

// Writing the files

type Blocks = Readonly<Record<'corp' | 'guest', readonly FieldCase[]>>

function sourcesOf(blocks: Blocks, options: CaseOptions): Source[] {
  const profiles = Object.entries(blocks).map(
    ([key, declared]) => [`${key}-base`, nested(ofLayer(declared, 'profile'))] as const
  )
  const files = [['profiles.yaml', { profiles: Object.fromEntries(profiles) }] as const]
  const sites = Array.from({ length: SITES }, (_, at) => ({
    id: siteId(at),
    name: `store-${at}`,
    vars: Object.fromEntries(
      Object.entries(blocks).flatMap(([key, declared]) => vars(key, declared))
    )
  }))
  const wlans = Object.fromEntries(
    Object.entries(blocks).map(([key, declared]) => [key, block(key, declared)])
  )
  const listed = sites.map((site, at) => {
    const overrides = Object.entries(blocks).flatMap(([key, declared]) => {
      const again = declared.filter(({ overridden }) => overridden[at])
      const fields = again.map(({ pointer, declared: value }) => [pointer, value] as const)
      return fields.length === 0 ? [] : [[key, nested(fields)] as const]
    })
    return overrides.length === 0 ? site : { ...site, wlans: Object.fromEntries(overrides) }
  })
  const written = options.together
    ? [['stores.yaml', { sites: listed, wlans }] as const]
    : sites.map(site => [`${site.name}.yaml`, { site, wlans }] as const)
  return [...files, ...written].map(([file, content]) => {
    return new Source(file, file, new Writer(options).file(content))
  })
}

function ofLayer(declared: readonly FieldCase[], wanted: Layer) {
  return declared.flatMap(({ pointer, layer, declared: value }) =>
    layer === wanted ? [[pointer, value] as const] : []
  )
}

function vars(key: string, declared: readonly FieldCase[]) {
  return ofLayer(declared, 'variable').map(([pointer, value]) => [variable(key, pointer), value])
}

function variable(key: string, pointer: string): string {
  return key + pointer.replaceAll('/', '_')
}

function block(key: string, declared: readonly FieldCase[]): object {
  const variables = ofLayer(declared, 'variable').map(
    ([pointer]) => [pointer, { $var: variable(key, pointer) }] as const
  )
  const own = nested([...ofLayer(declared, 'own'), ...variables])
  return { $extends: `${key}-base`, ssid: key, ...own }
}

/** Writes YAML in various styles: blocks and braces, comments, anchors, blank lines. */
class Writer {
  readonly #options: CaseOptions
  readonly #anchors = new Map<string, string>()
  #comments = 0

  constructor(options: CaseOptions) {
    this.#options = options
  }

  file(content: object): string {
    return `# made by hand\n${this.#map(content, 0)}`.replaceAll('\n', this.#options.eol)
  }

  /** `inValue`: inside an object that is one value, whose comments are removed with it. */
  #map(map: object, depth: number, inValue = false): string {
    return Object.entries(map)
      .map(([name, value]) => this.#pair(name, value, depth, inValue))
      .join(this.#options.comments && depth === 1 ? '\n' : '')
  }

  #pair(name: string, value: unknown, depth: number, inValue: boolean): string {
    const key = `${'  '.repeat(depth)}${JSON.stringify(name).replaceAll(/^"(\w{3,})"$/g, '$1')}:`
    const isMap = typeof value === 'object' && value !== null && !Array.isArray(value)
    const lines = isMap && Object.keys(value).length > 0 && !('$var' in value)
    if (lines && !(this.#options.flow && depth > 2)) {
      return `${key}${this.#comment()}\n${this.#map(value, depth + 1, name.endsWith('apps'))}`
    }
    if (name === 'sites' && Array.isArray(value) && !this.#options.flow) {
      const items = value.map(site => `  - ${this.#map(site, 2).trimStart()}`)
      return `${key}\n${items.join('')}`
    }
    if (Array.isArray(value) && value.length > 0 && (!this.#options.flow || depth < 1)) {
      const items = value.map(item => `${'  '.repeat(depth + 1)}- ${JSON.stringify(item)}\n`)
      return `${key}\n${items.join('')}`
    }
    return `${key}${this.#options.comments ? '   ' : ' '}${this.#inline(value)}${inValue ? '' : this.#comment()}\n`
  }

  #inline(value: unknown): string {
    const json = JSON.stringify(value)
    if (!this.#options.anchors || json.length < 4) return json
    const known = this.#anchors.get(json)
    if (known !== undefined) return `*${known}`
    const name = `a${this.#anchors.size}`
    this.#anchors.set(json, name)
    return `&${name} ${json}`
  }

  #comment(): string {
    if (!this.#options.comments) return ''
    this.#comments += 1
    return `  # note ${this.#comments}`
  }
}
