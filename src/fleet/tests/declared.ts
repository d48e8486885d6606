import type { Site } from '../../core/model/desired.ts'
import { finding, type Where } from '../../core/model/finding.ts'
import { didYouMean, placesHint } from '../../core/model/messages/template.ts'
import type { Condition } from '../../core/query/condition.ts'
import { fieldNamed, type NamedField } from '../../core/query/field.ts'
import { nearest } from '../../core/schema/nearest.ts'
import { compact } from '../../core/values/collections.ts'
import { excludedBy, matchesGlobs } from '../../core/values/glob.ts'
import {
  atMost,
  expectFilled,
  expectMap,
  expectText,
  integerFrom,
  itemsIn,
  LONG_TEXT,
  listOf,
  mapWith,
  membersIn,
  textsIn
} from '../expect.ts'
import { at, atKey } from '../files/source.ts'
import type { Findings } from '../findings.ts'
import { GROUP_FIX } from '../groups.ts'
import { limits } from '../limits.ts'
import { Conditions, conditionsIn } from '../policy/rules/conditions.ts'
import { acceptsAll } from '../policy/rules/effective.ts'
import type { Requirement } from '../policy/rules/evaluation.ts'
import { Patterns } from '../policy/rules/patterns.ts'
import { compileSchema, whereOf } from '../policy/rules/schema.ts'
import { isSite, nearestTo } from '../select.ts'
import type { RunTime } from '../usage.ts'
import { memberNode, type Node, textOf } from '../yaml/tree.ts'

const FORM = 'write `{ name: one guest network, wlans: { key: guest }, count: 1 }`'

export interface DeclaredTest {
  readonly name: string
  readonly where: Where
  readonly covers: (site: TestedSite) => boolean
  /** A glob over the keys and addresses of WLANs; absent for all. */
  readonly key?: string
  readonly conditions: readonly Condition[]
  readonly expectations: readonly Expectation[]
}

export interface FleetTests {
  readonly declared: readonly DeclaredTest[]
  readonly time: RunTime
}

export interface TestedSite extends Site {
  readonly groups?: readonly string[]
}

export interface Bounds {
  readonly min: number
  readonly max: number
}

/** A part of a test that can fail; `where` is its place. */
export type Expectation = { readonly where: Where } & (
  | ({ readonly kind: 'count' | 'total' } & Bounds)
  | { readonly kind: 'same'; readonly fields: readonly NamedField[] }
  | { readonly kind: 'require'; readonly requirement: Requirement }
)

export interface TestedFleet {
  readonly sites: readonly TestedSite[]
  readonly groups: ReadonlyMap<string, unknown>
}

const EXPECTATIONS = ['count', 'total', 'same', 'require'] as const

/** Reads the tests of all files. Reports invalid ones and those that can never fail, and returns the others. */
export async function readTests(
  lists: readonly Node[],
  fleet: TestedFleet,
  time: RunTime,
  findings: Findings
): Promise<DeclaredTest[]> {
  const reading = { ...fleet, time, patterns: new Patterns(time) }
  const names = new Set<string>()
  const items = lists.flatMap(list => itemsIn(list, findings))
  const advice = 'combine some of them: a test has several expectations, and `same` several fields'
  const tooMany = ['fleet', limits.tests, 'tests', advice] as const
  const declared: DeclaredTest[] = []
  for (const item of atMost(items, tooMany, findings)) {
    await time.pause()
    const test = new TestReader(item, reading, findings).test()
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
  readonly time: RunTime
  readonly patterns: Patterns
}

class TestReader {
  readonly #node: Node
  readonly #fleet: Reading
  readonly #findings: Findings

  constructor(node: Node, fleet: Reading, findings: Findings) {
    this.#node = node
    this.#fleet = fleet
    this.#findings = findings
  }

  test(): DeclaredTest | undefined {
    const before = this.#findings.pushes
    const scope = (node: Node) => this.#scope(node)
    const exception = mapWith(
      'exception',
      { sites: scope, reason: expectFilled },
      {},
      'write `{ sites: ["lab*"], reason: no guests there }`'
    )
    const read = mapWith(
      'test',
      { name: expectText },
      {
        sites: scope,
        except: listOf(exception),
        wlans: node => this.#selected(node),
        count: node => this.#bounds('count', node),
        total: node => this.#bounds('total', node),
        same: node => this.#same(node),
        require: node => this.#require(node)
      },
      FORM
    )
    const members = read(this.#node, this.#findings)
    if (members === undefined) return undefined
    const { name, sites, except = [], wlans, node } = members
    const expectations = EXPECTATIONS.flatMap((kind): Expectation[] => {
      const [expectation, entry] = [members[kind], node.entries.get(kind)]
      return expectation && entry ? [{ ...expectation, where: atKey(entry) }] : []
    })
    if (expectations.length === 0 && this.#findings.pushes === before) {
      this.#cannotFail(node, `it has no expectation: one of ${EXPECTATIONS.join(', ')}`)
    }
    if (this.#findings.pushes > before) return undefined
    const covers = (site: TestedSite) =>
      sites?.(site) !== false && !except.some(each => each.sites(site))
    return { name, where: at(node), covers, conditions: [], ...wlans, expectations }
  }

  #scope(node: Node): (site: TestedSite) => boolean {
    const findings = this.#findings
    const { groups, sites, time } = this.#fleet
    if (node.kind === 'map') {
      const list = (value: Node) => this.#texts(value)
      const members = mapWith('test', { groups: list }, {}, FORM)(node, findings)
      const names = (members?.groups ?? []).map(({ text, item }) => {
        const near = nearest(text, groups.keys())
        if (!groups.has(text))
          findings.push(finding('NAME_UNKNOWN', at(item), 'group', text, near, GROUP_FIX))
        return text
      })
      return site => names.some(name => site.groups?.includes(name) === true)
    }
    const isMatch = (site: TestedSite, glob: string) => {
      time.check()
      return isSite(site, glob)
    }
    const globs = this.#texts(node)
    const texts = globs.map(({ text }) => text)
    for (const { text, item } of globs) {
      const wanted = excludedBy(text) ?? text
      if (sites.some(site => isMatch(site, wanted))) continue
      const near = nearestTo(text, () => sites.map(({ name }) => name))
      findings.push(finding('NOTHING_SELECTED', at(item), 'site', text, near))
    }
    return site => matchesGlobs(texts, glob => isMatch(site, glob))
  }

  #texts(node: Node) {
    return textsIn(node, this.#findings, (where, problem) => this.#invalid(where, problem))
  }

  #selected(node: Node): Pick<DeclaredTest, 'key' | 'conditions'> {
    const map = expectMap(node, this.#findings)
    if (map === undefined) return { conditions: [] }
    const rows = { key: expectText, where: (value: Node) => this.#conditions(value) }
    const { key, where: conditions = [] } = membersIn(map, rows, this.#findings)
    if (map.entries.size === 0) this.#invalid(at(map), 'expected `where` or `key`')
    if ((key ?? '').length > limits.pattern) this.#invalid(at(map), LONG_TEXT)
    return { conditions, ...compact({ key }) }
  }

  #conditions(node: Node): Condition[] {
    return conditionsIn(this.#texts(node), (item, { problem, hint }) =>
      this.#invalid(at(item), problem, hint)
    )
  }

  #same(node: Node) {
    const fields = this.#texts(node).map(({ text }) => fieldNamed(text))
    return fields.length === 0 ? undefined : ({ kind: 'same', fields } as const)
  }

  #bounds<K extends 'count' | 'total'>(kind: K, node: Node) {
    const number = integerFrom(0)
    if (node.kind !== 'map') {
      const exact = number(node, this.#findings)
      return exact === undefined ? undefined : { kind, min: exact, max: exact }
    }
    const any = { min: 0, max: Number.POSITIVE_INFINITY }
    const bounds = { ...any, ...membersIn(node, { min: number, max: number }, this.#findings) }
    const { min, max } = bounds
    if (min > max) this.#invalid(at(node), '`min` is more than `max`')
    if (min > 0 || max !== any.max) return { kind, min, max }
    this.#cannotFail(node, `\`${kind}\` accepts every number; give \`max\`, or a \`min\` above 0`)
    return undefined
  }

  #require(node: Node) {
    if (node.kind !== 'map') {
      const conditions = this.#conditions(node)
      return { kind: 'require', requirement: new Conditions(conditions) } as const
    }
    const schema = compileSchema(node, this.#fleet.patterns, {
      invalid: (place, problem) => this.#invalid(whereOf(place), problem),
      unknownField: (place, field, near, places) => {
        const hint = placesHint(field, places) ?? didYouMean(near)
        this.#invalid(whereOf(place), `unknown field ${JSON.stringify(field)}`, hint)
      }
    })
    if (schema?.named.has('$live')) this.#invalid(at(node), 'a test does not know `$live`')
    if (schema && acceptsAll(schema, this.#fleet.time))
      this.#cannotFail(node, '`require` accepts every WLAN')
    return schema && ({ kind: 'require', requirement: schema } as const)
  }

  get #name(): string {
    return textOf(memberNode(this.#node, 'name')) ?? ''
  }

  #invalid(where: Where, problem: string, hint?: string): void {
    this.#findings.push(finding('TEST_INVALID', where, this.#name, problem, hint))
  }

  #cannotFail(node: Node, reason: string): void {
    this.#findings.push(finding('TEST_CANNOT_FAIL', at(node), this.#name, reason))
  }
}
