import { Argument, Option } from 'commander'
import { explain, explainRules, nearestTopic, similarTopics } from '../../core/lint/explain.ts'
import type { Desired, DesiredSite, DesiredWlan } from '../../core/model/desired.ts'
import type { Explanation } from '../../core/model/explanation.ts'
import { type ExitCode, exit, type Failure, wrongInput } from '../../core/model/failure.ts'
import { nearest } from '../../core/schema/nearest.ts'
import { compact } from '../../core/values/collections.ts'
import { matchesGlob } from '../../core/values/glob.ts'
import {
  asPointer,
  child,
  fieldName,
  type Pointer,
  topLevelField
} from '../../core/values/pointer.ts'
import { listFirst, quote } from '../../core/values/text.ts'
import { isList, isObject, type Value, type ValueObject, valueAt } from '../../core/values/value.ts'
import type { SecretOptions } from '../../fleet/secrets/source.ts'
import { explanationJson, explanationText } from '../../report/commands/explanation.ts'
import { escapeJson } from '../../report/escape.ts'
import type { CommandRow } from '../command.ts'
import { loadDesired } from '../load-desired.ts'
import {
  formatOption,
  groups,
  noColorOption,
  optionSets,
  type ReportOptions,
  under
} from '../options.ts'
import { renderOptionsFor, writeTextOrJson } from '../output.ts'
import { type Io, write, writeLines } from '../terminal/io.ts'

/** `yaml` and `json`: the blocks that declare the WLANs, by address; `worksheet`: their settings one by one. */
const effectiveForms = ['yaml', 'json', 'worksheet'] as const

interface Options
  extends Pick<ReportOptions, 'format' | 'color'>,
    Pick<SecretOptions, 'secretPrefix'> {
  readonly fleet: string
  readonly as?: (typeof effectiveForms)[number]
}

export const command: CommandRow = {
  arguments: [
    new Argument(
      '[topic...]',
      'a lint rule such as weak-key, a field such as auth.psk, a word of a report such as stale, an exit code, a finding such as SITE_NOT_READ, or a WLAN such as hq/guest, alone or with one of its fields'
    )
  ],
  options: [
    optionSets.secretPrefix,
    under(
      groups.selection,
      new Option('--fleet <dir>', 'the directory with the YAML files').default('.')
    ),
    under(
      groups.output,
      new Option(
        '--as <form>',
        'print the effective WLANs with these addresses or globs, such as "*/guest", or of all; a worksheet lists the settings for creating WLANs manually'
      )
        .choices(effectiveForms)
        .conflicts('format'),
      formatOption(),
      noColorOption()
    )
  ],
  notes: `Without a topic, all lint rules. For a WLAN: the origin of each value, and the
values that it overrides.`,
  examples: [
    'wlanctl explain auth.psk',
    'wlanctl explain hq/guest --as yaml --fleet examples/quickstart'
  ],
  run: ({ io }, topics: readonly string[], options: Options) =>
    (options.as === undefined ? explainTopic : printEffective)(topics, options, io)
}

async function explainTopic(
  topics: readonly string[],
  options: Options,
  io: Io
): Promise<ExitCode> {
  const [topic, field, ...others] = topics
  const isAddress = topic !== undefined && /^[^/].*\//s.test(topic)
  const term = isAddress ? undefined : await termCalled(topics.join(' '))
  if (others.length > 0 && term === undefined) {
    throw wrongInput(
      `expected a topic, or a WLAN and one of its fields, got ${topics.length} arguments`,
      'for several WLANs, add `--as yaml`'
    )
  }
  const explanation = isAddress
    ? await explainWlan(topic, field, options, io)
    : (term ?? (await explanationOf(topic)))
  await writeTextOrJson(explanation, explanationJson, explanationText, options, io)
  return exit.done
}

async function printEffective(
  addresses: readonly string[],
  options: Options,
  io: Io
): Promise<ExitCode> {
  const wlans = declaredWlans(addresses, await loadDeclared(options, io))
  if (options.as === 'worksheet') {
    const { worksheetText } = await import('../../report/commands/worksheet.ts')
    const renderOptions = renderOptionsFor(io.stdout, options, io)
    await writeLines(io, worksheetText(wlans, describeField, renderOptions))
    return exit.done
  }
  const { mapLines } = await import('../../author/yaml-edit/write.ts')
  const blocks = Object.fromEntries(wlans.map(({ wlan }) => [wlan.address, blockOf(wlan)]))
  const isJson = options.as === 'json'
  const text = isJson ? escapeJson(JSON.stringify(blocks, null, 2)) : mapLines(blocks, 0).join('\n')
  await write(io, `${text}\n`)
  return exit.done
}

function blockOf({ id, matchSsid, protect, managed, fields }: DesiredWlan): ValueObject {
  const block: Record<string, Value> = {
    ...(id !== undefined && { id }),
    ...(matchSsid !== undefined && { $match: { ssid: matchSsid } }),
    ...(protect && { $protect: true }),
    ...(managed === false && { $managed: false })
  }
  return { ...block, ...fields }
}

function describeField(pointer: string): string {
  const explanation = explain(fieldName(pointer))
  if (explanation?.kind !== 'field') return ''
  return /^.*?(?=[.;](?:\s|$)|$)/s.exec(explanation.field.description)?.[0] ?? ''
}

function loadDeclared(options: Options, io: Io): Promise<Desired> {
  const offline = { site: [], wlan: [], report: [], quiet: true, isOffline: true } as const
  return loadDesired(options.fleet, { ...options, ...offline, format: 'text' }, io)
}

interface DeclaredWlan {
  readonly site: DesiredSite
  readonly wlan: DesiredWlan
}

/**
 * The WLANs with these addresses or globs, or of sites with these names, in the order of the fleet;
 * all WLANs without any. Throws a `Failure` (exit 3) for one without a match.
 */
function declaredWlans(addresses: readonly string[], desired: Desired): DeclaredWlan[] {
  const all = allWlans(desired)
  const fits = ({ site: { name }, wlan: { address } }: DeclaredWlan, glob: string) =>
    address === glob || name === glob || matchesGlob(address, glob)
  const unknown = addresses.find(glob => !all.some(each => fits(each, glob)))
  if (unknown !== undefined) throw unknownWlan(unknown, desired)
  return all.filter(each => addresses.length === 0 || addresses.some(glob => fits(each, glob)))
}

/** The WLAN with this address. Throws a `Failure` (exit 3) if the fleet does not declare it. */
function declaredWlan(address: string, desired: Desired): DeclaredWlan {
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
  const near = nearest(address, known)
  return wrongInput(
    `the fleet declares no WLAN ${quote(address)}`,
    near === undefined
      ? 'an address is the name of a site and the key of a WLAN, such as hq/guest; `wlanctl explain --as yaml` lists all'
      : `did you mean ${quote(near)}?`
  )
}

/** The origins of a declared WLAN's values; throws a `Failure` (exit 3) for an unknown WLAN or field. */
async function explainWlan(
  address: string,
  field: string | undefined,
  options: Options,
  io: Io
): Promise<Explanation> {
  const desired = await loadDeclared(options, io)
  const { site, wlan } = declaredWlan(address, desired)
  const pointer = field === undefined ? '' : asPointer(field)
  const originsAt = (at: Pointer) => desired.originsOf?.(site, wlan, at) ?? []
  const declared = originsAt(pointer)
  const parts = declared.map(origin =>
    partsOf(valueAt(wlan.fields, origin.pointer), origin.pointer)
  )
  const origins = parts.flat().flatMap(originsAt)
  if (origins.length === 0 && pointer !== '') {
    const near = nearest(topLevelField(pointer), Object.keys(wlan.fields))
    const hint =
      near === undefined
        ? '`wlanctl explain` with the address alone lists the fields that it declares'
        : `did you mean ${quote(near)}?`
    throw wrongInput(`${address} does not declare ${quote(field ?? '')}`, hint)
  }
  const fields = origins.map(origin => {
    return { ...origin, ...compact({ value: valueAt(wlan.fields, origin.pointer) }) }
  })
  return { kind: 'wlan', wlan: { address, place: wlan.place, fields } }
}

/** The pointers of the members of a list's elements, which may have different origins; otherwise `at`. */
function partsOf(value: Value | undefined, at: Pointer): Pointer[] {
  if (!isList(value) || !value.some(isObject)) return [at]
  return value.flatMap((item, index) => {
    const element = child(at, String(index))
    return isObject(item) ? Object.keys(item).map(name => child(element, name)) : [element]
  })
}

async function termCalled(topic: string): Promise<Explanation | undefined> {
  const { terms } = await import('#findings')
  const plain = (name: string) => name.toLowerCase().replaceAll(/[-_\s]+/g, ' ')
  const word = plain(topic).replace(/^exit (?:code )?(?=\d)/, '')
  const term = terms.find(({ names }) => names.some(name => plain(name) === word))
  return term && { kind: 'term', term }
}

/** Throws a `Failure` (exit 3) for an unknown topic, with the closest one. */
async function explanationOf(topic: string | undefined): Promise<Explanation> {
  if (topic === undefined) return { kind: 'rules', rules: explainRules() }
  const explanation = explain(topic)
  if (explanation !== undefined) return explanation
  const { findings, terms } = await import('#findings')
  const code = topic.toUpperCase()
  const finding = Object.hasOwn(findings, code) ? findings[code] : undefined
  if (finding !== undefined) return { kind: 'finding', finding: { code, ...finding } }
  throw wrongInput(
    `expected a lint rule, a field, a word of a report or the code of a finding, got ${quote(topic)}`,
    unknownTopicHint(
      topic,
      nearestTopic(
        topic,
        terms.flatMap(({ names }) => names)
      ) ?? nearest(code, Object.keys(findings))
    )
  )
}

function unknownTopicHint(topic: string, near: string | undefined): string {
  if (near !== undefined) return `did you mean ${quote(near)}?`
  const similar = similarTopics(topic)
  const list =
    '`wlanctl explain` lists the rules, `wlanctl schema wlan` the fields, `wlanctl explain --as yaml` the WLANs'
  return similar.length === 0 ? list : `similar: ${listFirst(similar, 3)}; ${list}`
}
