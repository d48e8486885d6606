/** A JSON Pointer (RFC 6901), such as `/auth/psk`; the empty string is the whole document. */
export type Pointer = string

export function child(pointer: Pointer, name: string | number): Pointer {
  const isPlain = typeof name === 'number' || !/[~/]/.test(name)
  return `${pointer}/${isPlain ? name : name.replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/** The steps of a pointer, unescaped: `/auth/psk` is `['auth', 'psk']`. */
export function steps(pointer: Pointer): string[] {
  const [, ...names] = pointer.split('/')
  if (!pointer.includes('~')) return names
  return names.map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** The name of a field for people: `/auth/psk` is `auth.psk`. */
export function fieldName(pointer: Pointer): string {
  return steps(pointer).join('.')
}

/** The names of fields in a sentence: `auth.psk, vlan_id`. */
export function fieldNames(pointers: readonly Pointer[]): string {
  return pointers.map(fieldName).join(', ')
}

/** The pointer of a field that a user names, by its name or its pointer. */
export function asPointer(field: string): Pointer {
  return field.startsWith('/') ? field : field.split('.').reduce<Pointer>(child, '')
}

/** The top-level field that contains a pointer: `/auth/psk` is in `auth`. */
export function topLevelField(pointer: Pointer): string {
  return steps(pointer)[0] ?? ''
}

/** True if one of two pointers is the other or lies below it. */
export function overlap(a: Pointer, b: Pointer): boolean {
  return isAtOrBelow(a, b) || isAtOrBelow(b, a)
}

export function isAtOrBelow(pointer: Pointer, other: Pointer): boolean {
  return pointer === other || pointer.startsWith(`${other}/`)
}

/** The parents of a pointer, starting with the whole document: `''` and `/auth` for `/auth/psk`. */
export function above(pointer: Pointer): Pointer[] {
  const pointers: Pointer[] = []
  for (let at = pointer.indexOf('/'); at !== -1; at = pointer.indexOf('/', at + 1)) {
    pointers.push(pointer.slice(0, at))
  }
  return pointers
}
