import { type Field, wlanField } from '../../../core/schema/field.ts'

/** A value that a schema of a rule applies to, with the valid names of its members. */
export interface Scope {
  /** Undefined if any name is valid. */
  readonly names: readonly string[] | undefined
  /** Undefined for an unknown name. */
  member(name: string): Scope | undefined
  item(): Scope
}

export const anything: Scope = { names: undefined, member: () => anything, item: () => anything }

/** Cache of the scopes, so that each field's schema is visited once; the fields of the schema bound it. */
const scopes = new WeakMap<Field, Scope>()

function scopeOf(field: Field): Scope {
  const kept = scopes.get(field)
  if (kept !== undefined) return kept
  const names = field.memberNames()
  const scope: Scope = {
    names: names.length === 0 ? undefined : names,
    member(name) {
      if (names.length === 0) return anything
      const member = field.member(name)
      return member.known ? scopeOf(member) : undefined
    },
    item: () => scopeOf(field.item())
  }
  scopes.set(field, scope)
  return scope
}

const SITE = ['id', 'name', 'groups', 'vars']

const site: Scope = {
  names: SITE,
  member: name => (SITE.includes(name) ? anything : undefined),
  item: () => anything
}

/** The WLAN that a rule is about. */
export const wlan: Scope = {
  names: [...wlanField.memberNames(), '$site', '$live'],
  member(name) {
    if (name === '$site') return site
    return name === '$live' ? scopeOf(wlanField) : scopeOf(wlanField).member(name)
  },
  item: () => anything
}
