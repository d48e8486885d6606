import { type Field, wlanField } from '../../../core/schema/field.ts'

/** A value that a schema of a rule applies to, with the valid names of its members. */
export interface Scope {
  /** Undefined if any name is valid. */
  readonly names: readonly string[] | undefined
  /** The field, without indexes; undefined for a value that is no field. */
  readonly path?: readonly string[]
  /** Undefined for an unknown name. */
  member(name: string): Scope | undefined
  item(): Scope
}

export const anything: Scope = { names: undefined, member: () => anything, item: () => anything }

/** Cache of the scopes, so that each field's schema is visited once; the fields of the schema bound it. */
const scopes = new WeakMap<Field, Scope>()

function scopeOf(field: Field, path: readonly string[]): Scope {
  const kept = scopes.get(field)
  if (kept !== undefined) return kept
  const names = field.memberNames()
  const scope: Scope = {
    names: names.length === 0 ? undefined : names,
    path,
    member(name) {
      if (names.length === 0) return anything
      const member = field.member(name)
      return member.known ? scopeOf(member, [...path, name]) : undefined
    },
    item: () => scopeOf(field.item(), path)
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

export const wlan: Scope = {
  names: [...wlanField.memberNames(), '$site', '$live'],
  path: [],
  member(name) {
    if (name === '$site') return site
    const root = scopeOf(wlanField, [])
    return name === '$live' ? root : root.member(name)
  },
  item: () => anything
}
