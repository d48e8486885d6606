import { type Command, Option } from 'commander'
import { explain, explainRules, nearestTopic, similarTopics } from '../../core/lint/explain.ts'
import type { Explanation, RuleExplanation } from '../../core/model/explanation.ts'
import { type ExitCode, exit, wrongInput } from '../../core/model/failure.ts'
import { messages } from '../../core/model/finding.ts'
import { compact } from '../../core/values/collections.ts'
import { child, type Pointer, topLevelField } from '../../core/values/pointer.ts'
import { listFirst, quote } from '../../core/values/text.ts'
import { isList, isObject, type Value, valueAt } from '../../core/values/value.ts'
import { Suggestions } from '../../fleet/expect.ts'
import { explanationJson, explanationText } from '../../report/explanation.ts'
import type { Context } from '../context.ts'
import {
  addDeclaredOptions,
  type DeclaredOptions,
  declaredWlan,
  declaredWlans,
  type EffectiveForm,
  effectiveForms,
  loadDeclared
} from '../declared.ts'
import {
  addExample,
  addGroup,
  groups,
  noColorOption,
  type ReportOptions,
  textOrJsonOption
} from '../options.ts'
import { renderOptionsFor, writeTextOrJson } from '../output.ts'
import { type Io, write, writeLines } from '../terminal/io.ts'

type Options = Pick<ReportOptions, 'format' | 'color'> &
  DeclaredOptions & { readonly as?: EffectiveForm }

export function define(command: Command, { io, ends }: Context): void {
  command.argument(
    '[topic...]',
    'a lint rule such as weak-key, a field such as auth.psk, or a WLAN such as hq/guest, alone or with one of its fields'
  )
  addDeclaredOptions(command)
  addGroup(
    command,
    groups.output,
    new Option(
      '--as <form>',
      'print the effective WLANs with these addresses or globs, such as "*/guest", or of all; a worksheet lists the settings for creating WLANs manually'
    )
      .choices(effectiveForms)
      .conflicts('format'),
    textOrJsonOption,
    noColorOption
  ).action(
    ends((topics: readonly string[], options: Options) =>
      options.as === undefined
        ? explainTopic(topics, options, io)
        : printEffective(topics, options.as, options, io)
    )
  )
  command.addHelpText(
    'after',
    '\nWithout a topic, all lint rules. For a WLAN: the origin of each value, and the\nvalues that it overrides.'
  )
  addExample(
    command,
    'wlanctl explain auth.psk',
    'wlanctl explain hq/guest --as yaml --fleet examples/quickstart'
  )
}

async function explainTopic(
  topics: readonly string[],
  options: Options,
  io: Io
): Promise<ExitCode> {
  const [topic, field, ...others] = topics
  if (others.length > 0) {
    throw wrongInput(
      `expected a topic, or a WLAN and one of its fields, got ${topics.length} arguments`,
      'for several WLANs, add `--as yaml`'
    )
  }
  const isAddress = topic !== undefined && /^[^/].*\//s.test(topic)
  const explanation = isAddress
    ? await explainWlan(topic, field, options, io)
    : await explanationOf(topic)
  await writeTextOrJson(explanation, explanationJson, explanationText, options, io)
  return exit.done
}

async function printEffective(
  addresses: readonly string[],
  form: EffectiveForm,
  options: Options,
  io: Io
): Promise<ExitCode> {
  const { desired } = await loadDeclared(options, io)
  const wlans = declaredWlans(addresses, desired)
  const { effectiveWlans } = await import('../effective-wlans.ts')
  const text = effectiveWlans(wlans, form, renderOptionsFor(io.stdout, options, io))
  await (form === 'worksheet' ? writeLines : write)(io, text)
  return exit.done
}

/** The origins of a declared WLAN's values; throws a `Failure` (exit 3) for an unknown WLAN or field. */
async function explainWlan(
  address: string,
  field: string | undefined,
  options: Options,
  io: Io
): Promise<Explanation> {
  const { desired } = await loadDeclared(options, io)
  const { site, wlan } = declaredWlan(address, desired)
  const pointer = field === undefined || field.startsWith('/') ? (field ?? '') : pointerOf(field)
  const originsAt = async (at: Pointer) => (await desired.originsOf?.(site, wlan, at)) ?? []
  const declared = await originsAt(pointer)
  const parts = declared.map(origin =>
    partsOf(valueAt(wlan.fields, origin.pointer), origin.pointer)
  )
  const origins = (await Promise.all(parts.flat().map(originsAt))).flat()
  if (origins.length === 0 && pointer !== '') {
    const near = new Suggestions().near(topLevelField(pointer), Object.keys(wlan.fields))
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

function pointerOf(field: string): Pointer {
  return field.split('.').reduce<Pointer>(child, '')
}

/** Throws a `Failure` (exit 3) for an unknown topic, with the closest one. */
async function explanationOf(topic: string | undefined): Promise<Explanation> {
  if (topic === undefined) return { kind: 'rules', rules: explainRules() }
  const explanation = explain(topic)
  if (explanation?.kind === 'rule') return { kind: 'rule', rule: await withFix(explanation.rule) }
  if (explanation !== undefined) return explanation
  throw wrongInput(`expected a lint rule or a field, got ${quote(topic)}`, unknownTopicHint(topic))
}

async function withFix(rule: RuleExplanation): Promise<RuleExplanation> {
  const { fixExample } = await import('../../author/fix/example.ts')
  return { ...rule, ...compact({ fix: await fixExample(rule.id) }) }
}

function unknownTopicHint(topic: string): string {
  if (Object.hasOwn(messages, topic)) {
    return 'it is the code of a finding, which states its cause and its fix in the report'
  }
  const near = nearestTopic(topic)
  if (near !== undefined) return `did you mean ${quote(near)}?`
  const similar = similarTopics(topic)
  const list =
    '`wlanctl explain` lists the rules, `wlanctl schema wlan` the fields, `wlanctl explain --as yaml` the WLANs'
  return similar.length === 0 ? list : `similar: ${listFirst(similar, 3)}; ${list}`
}
