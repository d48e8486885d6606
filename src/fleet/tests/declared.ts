import type { Site } from '../../core/model/desired.ts'
import { finding, type Where } from '../../core/model/finding.ts'
import { didYouMean, placesHint } from '../../core/model/messages/template.ts'
import { type Condition, parseCondition } from '../../core/query/condition.ts'
import { fieldNamed, type NamedField } from '../../core/query/field.ts'
import { nearest } from '../../core/schema/nearest.ts'
import { compact } from '../../core/values/collections.ts'
import { excludedBy, matchesGlobs } from '../../core/values/glob.ts'
import { atMost, expectMap, expectText, itemsIn, Members } from '../expect.ts'
import { at, atKey } from '../files/source.ts'
import type { Findings } from '../findings.ts'
import { GROUP_FIX } from '../groups.ts'
import { Budget, limits } from '../limits.ts'
import type { TestTime } from '../load-context.ts'
import { acceptsAll } from '../policy/rules/effective.ts'
import { Patterns } from '../policy/rules/patterns.ts'
import { compileSchema, type Schema, whereOf } from '../policy/rules/schema.ts'
import { isSite, nearestTo } from '../select.ts'
import type { MapNode, Node } from '../yaml/tree.ts'

/** How a test and an exception are written. */
const FORMS = {
  test: 'write `{ name: one guest network, wlans: { key: guest }, count: 1 }`',
  exception: 'write `{ sites: ["lab*"], reason: no guests there }`'
}

/** A test that a fleet declares of itself. */
export interface DeclaredTest {
  readonly name: string
  readonly where: Where
  readonly covers: (site: TestedSite) => boolean
  /** A glob over the keys and addresses of WLANs; absent for all. */
  readonly key?: string
  readonly conditions: readonly Condition[]
  readonly expectations: readonly Expectation[]
}

/** The tests of a fleet, and the time that they may take. */
export interface FleetTests {
  readonly declared: readonly DeclaredTest[]
  readonly time: TestTime
}

export interface TestedSite extends Site {
  readonly groups?: readonly string[]
}

/** A number of WLANs. */
export interface Bounds {
  readonly min: number
  readonly max: number
}

/** A part of a test that can fail; `where` is its place. */
export type Expectation = { readonly where: Where } & (
  | ({ readonly kind: 'count' | 'total' } & Bounds)
  | { readonly kind: 'same'; readonly fields: readonly NamedField[] }
  | { readonly kind: 'require'; readonly schema: Schema }
)

/** What the tests of a fleet may refer to. */
export interface TestedFleet {
  readonly sites: readonly TestedSite[]
  readonly groups: ReadonlyMap<string, unknown>
}

const EXPECTATIONS = ['count', 'total', 'same', 'require'] as const

/** Reads the tests of all files. Reports invalid ones and those that can never fail, and returns the others. */
export async function readTests(
  lists: readonly Node[],
  fleet: TestedFleet,
  time: TestTime,
  findings: Findings
): Promise<DeclaredTest[]> {
  const reading = { ...fleet, patterns: new Patterns(new Budget(limits.rulesSteps)) }
  const names = new Set<string>()
  const items = lists.flatMap(list => itemsIn(list, findings))
  const advice = 'combine some of them: a test has several expectations, and `same` several fields'
  const tooMany = ['fleet', limits.tests, 'tests', advice] as const
  const declared: DeclaredTest[] = []
  for (const item of atMost(items, tooMany, findings)) {
    await time.test()
    const map = expectMap(item, findings)
    const test = map && new TestReader(map, reading, findings).test()
    if (test === undefined) continue
    const { name, where } = test
    if (names.has(name))
      findings.push(finding('TEST_INVALID', where, name, 'another test has this name'))
    names.add(name)
    declared.push(test)
  }
  return declared
}

interface Reading extends TestedFleet {
  readonly patterns: Patterns
}

class TestReader {
  readonly #map: MapNode
  readonly #fleet: Reading
  readonly #findings: Findings
  readonly #members: Members
  readonly #name: string | undefined

  constructor(map: MapNode, fleet: Reading, findings: Findings) {
    this.#map = map
    this.#fleet = fleet
    this.#findings = findings
    this.#members = new Members(map, findings)
    this.#name = this.#members.text('name')
  }

  test(): DeclaredTest | undefined {
    const before = this.#findings.pushes
    const name = this.#name ?? ''
    if (!this.#map.entries.has('name')) this.#incomplete(this.#map, 'test', 'name')
    const sites = this.#scope(this.#members.node('sites')) ?? (() => true)
    const exceptions = this.#exceptions()
    const selected = this.#selected()
    const expectations = this.#expectations()
    this.#members.done()
    if (expectations.length === 0 && this.#findings.pushes === before) {
      this.#cannotFail(this.#map, `it has no expectation: one of ${EXPECTATIONS.join(', ')}`)
    }
    if (this.#findings.pushes > before) return undefined
    const covers = (site: TestedSite) => sites(site) && !exceptions.some(each => each(site))
    return { name, where: at(this.#map), covers, ...selected, expectations }
  }

  /** The sites that match names or globs, or belong to groups; undefined, with a finding, if the node is neither. */
  #scope(node: Node | undefined): ((site: TestedSite) => boolean) | undefined {
    if (node === undefined) return undefined
    const findings = this.#findings
    const { groups, sites } = this.#fleet
    if (node.kind === 'map') {
      const members = new Members(node, findings)
      const list = members.node('groups')
      members.done()
      if (list === undefined) this.#incomplete(node, 'test', 'groups')
      const names = this.#texts(list).map(({ text, item }) => {
        const near = nearest(text, groups.keys())
        if (!groups.has(text))
          findings.push(finding('NAME_UNKNOWN', at(item), 'group', text, near, GROUP_FIX))
        return text
      })
      return site => names.some(name => site.groups?.includes(name) === true)
    }
    const globs = this.#texts(node)
    const texts = globs.map(({ text }) => text)
    for (const { text, item } of globs) {
      const wanted = excludedBy(text) ?? text
      if (sites.some(site => isSite(site, wanted))) continue
      const near = nearestTo(text, () => sites.map(({ name }) => name))
      findings.push(finding('NOTHING_SELECTED', at(item), 'site', text, near))
    }
    return site => matchesGlobs(texts, glob => isSite(site, glob))
  }

  /** A text, or a list of texts; an empty or long list is a finding, and so is a long text. */
  #texts(node: Node | undefined) {
    if (node === undefined) return []
    const findings = this.#findings
    const items = node.kind === 'scalar' ? [node] : itemsIn(node, findings)
    if (node.kind === 'list' && items.length === 0) this.#invalid(at(node), 'the list is empty')
    if (items.length > limits.testItems) {
      this.#invalid(at(node), `the list has more than ${limits.testItems} items`)
    }
    return items.slice(0, limits.testItems).flatMap(item => {
      const text = expectText(item, findings)
      return text === undefined || this.#isLong(text, item) ? [] : [{ text, item }]
    })
  }

  #fields(node: Node): NamedField[] {
    return this.#texts(node).map(({ text }) => fieldNamed(text))
  }

  #isLong(text: string, node: Node): boolean {
    const isLong = text.length > limits.pattern
    if (isLong) this.#invalid(at(node), `a text has more than ${limits.pattern} characters`)
    return isLong
  }

  #exceptions() {
    const node = this.#members.node('except')
    return itemsIn(node, this.#findings).flatMap(item => {
      const map = expectMap(item, this.#findings)
      if (map === undefined) return []
      const members = new Members(map, this.#findings)
      const scope = this.#scope(members.node('sites'))
      const reason = members.text('reason')
      members.done()
      for (const key of ['sites', 'reason']) {
        const isAbsent = !map.entries.has(key) || (key === 'reason' && reason?.trim() === '')
        if (isAbsent) this.#incomplete(map, 'exception', key)
      }
      return scope ?? []
    })
  }

  #selected(): Pick<DeclaredTest, 'key' | 'conditions'> {
    const node = this.#members.node('wlans')
    const map = node && expectMap(node, this.#findings)
    if (map === undefined) return { conditions: [] }
    const members = new Members(map, this.#findings)
    const key = members.text('key')
    const conditions = this.#texts(members.node('where')).flatMap(({ text, item }) => {
      const condition = parseCondition(text)
      if ('isMet' in condition) return condition
      this.#invalid(at(item), condition.problem, condition.hint)
      return []
    })
    members.done()
    if (map.entries.size === 0) this.#invalid(at(map), 'expected `where` or `key`')
    this.#isLong(key ?? '', map)
    return { conditions, ...compact({ key }) }
  }

  #expectations(): Expectation[] {
    return EXPECTATIONS.flatMap(kind => this.#expectation(kind) ?? [])
  }

  #expectation(kind: (typeof EXPECTATIONS)[number]): Expectation | undefined {
    const node = this.#members.node(kind)
    const entry = this.#map.entries.get(kind)
    if (node === undefined || entry === undefined) return undefined
    const where = atKey(entry)
    switch (kind) {
      case 'count':
      case 'total': {
        const bounds = this.#bounds(kind, node)
        return bounds && { kind, where, ...bounds }
      }
      case 'same': {
        const fields = this.#fields(node)
        return fields.length === 0 ? undefined : { kind, where, fields }
      }
      case 'require': {
        const schema = this.#schema(node)
        return schema && { kind, where, schema }
      }
    }
  }

  #bounds(kind: 'count' | 'total', node: Node): Bounds | undefined {
    if (node.kind !== 'map') {
      const number = this.#members.integer(kind, Number.MAX_SAFE_INTEGER)
      return number === undefined ? undefined : { min: number, max: number }
    }
    const members = new Members(node, this.#findings)
    const max = members.integer('max', Number.MAX_SAFE_INTEGER) ?? Number.POSITIVE_INFINITY
    const min = members.integer('min', Number.MAX_SAFE_INTEGER) ?? 0
    members.done()
    if (min > max) this.#invalid(at(node), '`min` is more than `max`')
    if (min > 0 || max !== Number.POSITIVE_INFINITY) return { min, max }
    this.#cannotFail(node, `\`${kind}\` accepts every number; give \`max\`, or a \`min\` above 0`)
    return undefined
  }

  #schema(node: Node): Schema | undefined {
    const map = expectMap(node, this.#findings)
    if (map === undefined) return undefined
    const schema = compileSchema(map, this.#fleet.patterns, {
      invalid: (place, problem) => this.#invalid(whereOf(place), problem),
      unknownField: (place, field, near, places) => {
        const hint = placesHint(field, places) ?? didYouMean(near)
        this.#invalid(whereOf(place), `unknown field ${JSON.stringify(field)}`, hint)
      }
    })
    if (schema?.named.has('$live')) this.#invalid(at(map), 'a test does not know `$live`')
    if (schema && acceptsAll(schema)) this.#cannotFail(map, '`require` accepts every WLAN')
    return schema
  }

  #incomplete(map: MapNode, of: 'test' | 'exception', key: string): void {
    this.#findings.push(finding('KEY_MISSING', at(map), of, key, FORMS[of]))
  }

  #invalid(where: Where, problem: string, hint?: string): void {
    this.#findings.push(finding('TEST_INVALID', where, this.#name ?? '', problem, hint))
  }

  #cannotFail(node: Node, reason: string): void {
    this.#findings.push(finding('TEST_CANNOT_FAIL', at(node), this.#name ?? '', reason))
  }
}
