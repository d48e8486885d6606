import { isList, isObject } from '../../src/core/values/value.ts'
import type { Json, JsonObject } from '../../src/simulator/json.ts'
import type { CampaignSetup } from './campaign.ts'
import { DROPPED } from './declarations.ts'
import { differing, laidOver, meaning } from './expected.ts'
import { known } from './statements.ts'
import { type Fault, falseKind } from './verdict.ts'

/** The top-level field that the service may accept and not store. */
const UNSTORED = DROPPED.slice(1)

/** An outcome of a rollout, from its report or its record. */
export interface RolloutOutcome {
  readonly address: string
  readonly status: string
  readonly reason?: string
  readonly fields?: readonly { readonly pointer: string }[]
  /** Only in a record. */
  readonly lost_secrets?: readonly string[]
}

/**
 * The outcomes that are incorrect: a WLAN must be as declared if it is `applied`, in its former state if it
 * is `failed` or `skipped`, and in one of both states if its outcome is unknown. Fields listed as diverged may
 * differ.
 */
export function misreported(
  setup: CampaignSetup,
  outcomes: readonly RolloutOutcome[],
  only: ReadonlySet<string> = new Set(setup.fleet.cases.keys())
): Fault[] {
  const byAddress = new Map(outcomes.map(outcome => [outcome.address, outcome]))
  const isTwice = outcomes.length !== byAddress.size
  const twice: Fault[] = isTwice
    ? [{ kind: 'other false', text: 'an address has several outcomes' }]
    : []
  const wrong = [...only].flatMap(address => {
    const outcome = byAddress.get(address) ?? { address, status: 'skipped' }
    const odd = oddFields(setup, outcome)
    const { status, reason = '' } = outcome
    const text = `${address} is ${status} (${reason}): ${odd.join(', ')}`
    return odd.length === 0 ? [] : [{ kind: falseKind(status), text }]
  })
  return [...twice, ...wrong]
}

/** The WLANs that are not in their former state, except for secrets, which a record does not contain. */
export function notAsBefore(
  setup: CampaignSetup,
  outcomes: readonly RolloutOutcome[]
): { readonly address: string; readonly fields: readonly string[] }[] {
  const lost = new Map(outcomes.map(({ address, lost_secrets }) => [address, lost_secrets]))
  return [...setup.fleet.cases.keys()].flatMap(address => {
    const odd = differsFromBefore(setup, address, lost.get(address))
    return odd.length === 0 ? [] : [{ address, fields: odd }]
  })
}

/** The top-level fields that contradict an outcome. */
function oddFields(setup: CampaignSetup, outcome: RolloutOutcome): string[] {
  const { address, status, fields = [] } = outcome
  const fromBefore = differsFromBefore(setup, address)
  const fromDeclared = differsFromDeclared(setup, address)
  const named = new Set(fields.map(({ pointer }) => pointer.split('/')[1] ?? ''))
  const fromBoth = fromDeclared.filter(name => fromBefore.includes(name) && !named.has(name))
  switch (status) {
    case 'applied':
    case 'unchanged':
      return fromDeclared
    case 'failed':
    case 'skipped':
    case 'stale':
      return fromBefore
    case 'diverged':
      return fromDeclared.length === 0 ? ['nothing diverged'] : fromBoth
    default:
      // A change that could not be verified cannot name the field that the service does not store.
      if (!fromBefore.includes(UNSTORED)) named.add(UNSTORED)
      return fromBefore.length === 0 ? [] : fromDeclared.filter(name => !named.has(name))
  }
}

function recordOf({ fleet, simulator }: CampaignSetup, address: string): JsonObject {
  const { site, wlan } = known(fleet.cases, address)
  return simulator.record(site, wlan)
}

function differsFromDeclared(setup: CampaignSetup, address: string): string[] {
  const { before, declared } = known(setup.fleet.cases, address)
  return differing(recordOf(setup, address), laidOver(before, declared) as JsonObject)
}

function differsFromBefore(
  setup: CampaignSetup,
  address: string,
  except: readonly string[] = []
): string[] {
  const { before } = known(setup.fleet.cases, address)
  const found = recordOf(setup, address)
  const pointers = except.map(pointer => pointer.split('/').slice(1))
  const expected = pointers.reduce<Json>((whole, path) => withFound(whole, found, path), before)
  return differing(found, expected as JsonObject)
}

/** The value with the value of `found` at this path. */
function withFound(
  value: Json | undefined,
  found: Json | undefined,
  path: readonly string[]
): Json {
  const [step, ...rest] = path
  if (step === undefined) return found ?? null
  if (isList(value)) {
    const other = isList(found) ? found : []
    return value.map((each, at) => (String(at) === step ? withFound(each, other[at], rest) : each))
  }
  if (!isObject(value)) return meaning(value) === 'nothing' ? null : (value ?? null)
  const other = isObject(found) ? found : {}
  return { ...value, [step]: withFound(value[step], other[step], rest) }
}
