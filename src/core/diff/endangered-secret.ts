import { type Finding, finding, type Where } from '../model/finding.ts'
import { isMet, type ReadField } from '../schema/condition.ts'
import { type Field, serverLists, wlanField } from '../schema/field.ts'
import { readFrom, valueAtPath } from '../schema/in-use.ts'
import { byCodeUnit } from '../values/collections.ts'
import { child, type Pointer, topLevelField } from '../values/pointer.ts'
import { isMask, Secret } from '../values/secret.ts'
import {
  isList,
  isObject,
  isUnset,
  member,
  type Value,
  type ValueObject,
  valueAt
} from '../values/value.ts'
import { partnersOf } from './overlay.ts'

/**
 * The finding that blocks an update which would destroy a secret; undefined if the update is safe. The
 * service replaces each field as a whole: a mask in the body overwrites the secret, and an absent secret is
 * lost.
 *
 * | finding          | the body                                                              |
 * |------------------|-----------------------------------------------------------------------|
 * | `SECRET_LOST`    | has a new element in a list, without the secret of the removed one    |
 * | `SECRET_MISSING` | has a RADIUS server without a secret, and nothing replaces the server |
 *
 * Other secrets declared as `null` or `""`, and elements that are no longer declared, may be removed.
 */
export function endangeredSecret(update: Update, where: Where): Finding | undefined {
  const lost = lostSecret(update)
  if (lost !== undefined) return finding('SECRET_LOST', where, lost, topLevelField(lost))
  const [missing] = serversWithoutSecret(update)
  if (missing === undefined) return undefined
  return finding('SECRET_MISSING', where, missing.at, topLevelField(missing.at))
}

/**
 * The pointers of the secrets that the update must contain and the service hides: the body has a mask, or lacks a required
 * one. `secretsShown`: true if the service shows secrets; otherwise an empty one may be hidden.
 */
export function hiddenSecrets(update: Update, secretsShown: () => boolean): Pointer[] {
  const masks = masksIn(wlanField, update.body, update.declared)
  const key = hiddenKey(update)
  const open = secretsShown() ? [] : [...hiddenServerSecrets(update), ...neededSecrets(update)]
  const isDeclared = (at: Pointer) => valueAt(update.declared, at) !== undefined
  const others = open.filter(at => !isDeclared(at))
  return [...new Set([...masks, ...(key === undefined ? [] : [key]), ...others])]
}

/** The pointers of undeclared masks, also in fields that the schema does not know. */
function masksIn(
  field: Field,
  value: Value,
  declared: Value | undefined,
  at: Pointer = ''
): Pointer[] {
  if (value instanceof Secret) return value.hidden ? [at] : []
  if (typeof value === 'string') {
    return declared === undefined && looksMasked(value, field) ? [at] : []
  }
  return partsOf(value).flatMap(([name, part]) =>
    masksIn(belowField(field, value, name), part, partOf(declared, name), child(at, name))
  )
}

function partsOf(value: Value): [string, Value][] {
  return isList(value) || isObject(value) ? Object.entries(value) : []
}

function belowField(field: Field, value: Value, name: string): Field {
  return isList(value) ? field.item() : field.member(name)
}

/** The declared part; for a scalar, the value itself. */
function partOf(declared: Value | undefined, name: string): Value | undefined {
  if (isList(declared)) return declared[Number(name)]
  return isObject(declared) ? member(declared, name) : declared
}

/**
 * True for a mask in a field that the schema does not list as a secret: the service may hide new
 * fields. A lone `*` is a wildcard, and a known string may contain asterisks.
 */
function looksMasked(text: string, field: Field): boolean {
  const isPlain = field.known && !field.item().secret
  return isPlain ? /^(?:\*{2,}|[•●]{2,})$/u.test(text) : text !== '*' && isMask(text)
}

/** An update to check; each member is a record, or some fields of one. `body` is what is sent. */
interface Update {
  readonly declared: ValueObject
  readonly live: ValueObject
  readonly body: ValueObject
}

/**
 * A secret that the body lacks although the authentication type or another block requires it; that
 * of a block counts as unset if the service shows secrets.
 */
export function missingSecret(update: Update, secretsShown: () => boolean): Pointer | undefined {
  const required = missingKey(update) ?? missingServerSecrets(update)[0]
  return required ?? (secretsShown() ? undefined : neededSecrets(update)[0])
}

function neededSecrets(update: Update): Pointer[] {
  return Object.entries(update.body).flatMap(([name, block]) => {
    if (!isObject(block)) return []
    const field = wlanField.member(name)
    return [...field.memberNames()].sort(byCodeUnit).flatMap(secret => {
      const { neededIf } = field.member(secret)
      const lacks = neededIf !== undefined && blank(member(block, secret))
      return lacks && meets(update, neededIf) ? child(child('', name), secret) : []
    })
  })
}

function missingKey(update: Update): Pointer | undefined {
  const auth = member(update.body, 'auth')
  if (!isObject(auth)) return undefined
  if (meets(update, 'wep')) return blank(member(auth, 'keys')) ? '/auth/keys' : undefined
  return meets(update, 'shared-key') && blank(member(auth, 'psk')) ? '/auth/psk' : undefined
}

/** A key that the body lacks and the service may have: a WLAN that uses none hides none. */
function hiddenKey(update: Update): Pointer | undefined {
  const key = missingKey(update)
  const wasUsed = isMet(key === '/auth/keys' ? 'wep-keys' : 'psk', readFrom(update.live))
  return wasUsed ? key : undefined
}

/** True if the WLAN certainly meets a condition after the update. */
function meets({ live, body }: Update, condition: string): boolean {
  const read: ReadField = ({ path }) =>
    valueAtPath(Object.hasOwn(body, path[0] ?? '') ? body : live, path)
  return isMet(condition, read, false)
}

interface Server {
  readonly at: Pointer
  readonly declared: ValueObject
  readonly sent: ValueObject
  /** The live server that it replaces; undefined for a new one. */
  readonly before: ValueObject | undefined
  /** The live servers that the update removes from the list. */
  readonly leaving: readonly Value[]
}

function missingServerSecrets(update: Update): Pointer[] {
  if (!needsSecrets(update)) return []
  return lackingSecrets(update, server => server.before !== undefined)
}

/**
 * A secret that a new server lacks if it replaces one with a secret: the service does not transfer it,
 * neither to another server nor to the same one under a new name. A server that is only added loses none.
 */
function lostSecret(update: Update): Pointer | undefined {
  const needed = needsSecrets(update)
  const isLost = ({ before, leaving }: Server, name: string) =>
    before === undefined &&
    leaving.some(other => needed || (isObject(other) && !blank(member(other, name))))
  return lackingSecrets(update, isLost)[0]
}

/** Secrets that existing servers lack in a response without secrets: the service may have them. */
function hiddenServerSecrets(update: Update): Pointer[] {
  const open = serversWithoutSecret(update).flatMap(({ at, server: { before, declared } }) =>
    before === undefined || Object.hasOwn(declared, 'secret') ? [] : at
  )
  return [...missingServerSecrets(update), ...open]
}

function serversWithoutSecret(
  update: Update
): readonly { readonly server: Server; readonly at: Pointer }[] {
  if (meets(update, 'radius-replaced')) return []
  return serversIn(update)
    .filter(({ sent }) => blank(member(sent, 'secret')))
    .map(server => ({ server, at: child(server.at, 'secret') }))
}

/** 802.1X requires the secrets of servers. */
function needsSecrets(update: Update): boolean {
  return meets(update, 'eap') && !meets(update, 'radius-replaced')
}

function lackingSecrets(
  update: Update,
  isAffected: (server: Server, name: string) => boolean
): Pointer[] {
  return serversIn(update).flatMap(server =>
    secretsOf(server.sent)
      .filter(name => !Object.hasOwn(server.declared, name) && blank(member(server.sent, name)))
      .filter(name => isAffected(server, name))
      .map(name => child(server.at, name))
  )
}

function secretsOf(server: ValueObject): readonly string[] {
  const wraps = member(server, 'keywrap_enabled') === true
  return wraps ? ['secret', 'keywrap_kek', 'keywrap_mack'] : ['secret']
}

function serversIn({ declared, live, body }: Update): Server[] {
  return serverLists.flatMap(({ name }) => {
    const [sent, wanted] = [listIn(body, name), listIn(declared, name)]
    const before = listIn(live, name)
    const partners = partnersOf(wlanField.member(name), before, wanted)
    const leaving = before.filter(server => !partners.includes(server))
    return wanted.flatMap((server, place) => {
      const [partner, after] = [partners[place], sent[place]]
      if (!isObject(server) || !isObject(after)) return []
      const at = child(child('', name), place)
      return { at, declared: server, sent: after, before: asObject(partner), leaving }
    })
  })
}

function asObject(value: Value | undefined): ValueObject | undefined {
  return isObject(value) ? value : undefined
}

function listIn(record: ValueObject, name: string): readonly Value[] {
  const list = member(record, name)
  return isList(list) ? list : []
}

/** True for an absent secret; a hidden one is present. */
function blank(value: Value | undefined): boolean {
  return isList(value) ? value.every(blank) : isUnset(value)
}
