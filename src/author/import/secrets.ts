import { UniqueNames } from '../../core/audit/slug.ts'
import { groupBy, highest, mostFrequent, sortBy, usual } from '../../core/values/collections.ts'
import { type Pointer, steps } from '../../core/values/pointer.ts'
import { Secret, type SecretReference } from '../../core/values/secret.ts'
import { mapValue, secretsWithin, type Value } from '../../core/values/value.ts'
import { SERVER_LISTS } from './names.ts'
import type { RequestedImport } from './site.ts'

/** How the files of an import refer to secrets: by environment variables with a prefix, or by files. */
export type SecretForm =
  | { readonly kind: '$env'; readonly prefix: string }
  | { readonly kind: '$file' }

/** A secret of live WLANs, and the variable or file that refers to it. */
export interface ImportedSecret {
  /** The name of the variable or file. */
  readonly name: string
  /** The WLAN and the pointer of its first use. */
  readonly address: string
  readonly pointer: Pointer
  /** The number of fields with this value. */
  readonly uses: number
  /** The live secret; unknown if the service hides it. */
  readonly secret: Secret
}

interface SecretUse {
  readonly slug: string
  readonly key: string
  readonly address: string
  readonly pointer: Pointer
  readonly secret: Secret
}

export interface CatalogOptions {
  /** The names that some secrets have already, by the identity of the secret. */
  readonly names?: ReadonlyMap<unknown, string>
  /** What a secret of several sites belongs to, such as their group: the first part of its name. */
  readonly ownerOf?: (secret: Secret) => string | undefined
}

/**
 * The secrets of imported sites by value: equal ones share a name, which consists of what most of their uses have: the
 * site, the key of the WLAN, the field.
 *
 * | used by                                                 | name                                |
 * |---------------------------------------------------------|-------------------------------------|
 * | `/auth/psk` of `guest` at `hq`                          | `WLAN_SECRET_HQ_GUEST_PSK`          |
 * | `/auth/psk` of `guest` at most sites with it            | `WLAN_SECRET_GUEST_PSK`             |
 * | the same at a few of them, `lab` the first              | `WLAN_SECRET_LAB_GUEST_PSK`         |
 * | the first RADIUS server of `corp` at several sites      | `WLAN_SECRET_CORP_RADIUS_1_SECRET`  |
 * | all RADIUS servers of `corp` at several sites           | `WLAN_SECRET_CORP_RADIUS_SECRET`    |
 *
 * Files have the same names in lower case, with hyphens and without the prefix.
 */
export class SecretCatalog {
  /** In the order of their first uses. */
  readonly secrets: readonly ImportedSecret[]
  /** The prefix of the variables; undefined for files. */
  readonly prefix: string | undefined
  readonly #names: ReadonlyMap<unknown, string>
  readonly #byReference: ReadonlyMap<string, Secret>

  constructor(sites: readonly RequestedImport[], form: SecretForm, options: CatalogOptions = {}) {
    const byValue = groupBy(sites.flatMap(usesIn), ({ secret }) => identityOf(secret))
    const names = namesOf([...byValue], form, options)
    this.prefix = form.kind === '$env' ? form.prefix : undefined
    this.#names = names
    this.secrets = [...byValue].map(([value, [{ address, pointer, secret }, ...others]]) => {
      return { name: names.get(value) ?? '', address, pointer, uses: others.length + 1, secret }
    })
    this.#byReference = new Map(
      this.secrets.map(({ name, secret }) => [JSON.stringify(this.referenceTo(name)), secret])
    )
  }

  /** The live secret behind a reference in these files. */
  secretOf({ reference }: Secret): Secret | undefined {
    return this.#byReference.get(JSON.stringify(reference))
  }

  /** Replaces the secrets in a value by references; they must be secrets of the sites. */
  replaceSecrets(value: Value): Value {
    return mapValue(value, inner =>
      inner instanceof Secret
        ? new Secret(this.referenceTo(this.#names.get(identityOf(inner)) ?? ''), undefined)
        : undefined
    )
  }

  referenceTo(name: string): SecretReference {
    return this.prefix === undefined ? { $file: name } : { $env: name }
  }
}

/** A key that is equal for equal secrets; an unknown secret equals only itself. */
export function identityOf(secret: Secret): unknown {
  return secret.known ? secret.reveal() : secret
}

function usesIn({ slug, name, wlans }: RequestedImport): SecretUse[] {
  return wlans.flatMap(({ key, fields }) => {
    const address = `${name}/${key}`
    return [...secretsWithin(fields)].map(([pointer, secret]) => ({
      slug,
      key,
      address,
      pointer,
      secret
    }))
  })
}

/** If two secrets would have the same name, the one with more uses gets it without a number. */
function namesOf(
  groups: readonly (readonly [value: unknown, uses: readonly SecretUse[]])[],
  form: SecretForm,
  { names = new Map(), ownerOf = () => undefined }: CatalogOptions
): ReadonlyMap<unknown, string> {
  const unique = new UniqueNames(form.kind === '$env' ? '_' : '-')
  for (const name of names.values()) unique.take(name)
  const slugsByKey = new Map(
    [
      ...groupBy(
        groups.flatMap(([, uses]) => uses),
        ({ key }) => key
      )
    ].map(([key, uses]) => [key, slugsOf(uses)] as const)
  )
  const byUse = [...groups].sort(([, a], [, b]) => b.length - a.length)
  const others = byUse.filter(([value]) => !names.has(value))
  const found = others.map(([value, uses]) => {
    const slugs = slugsOf(uses)
    // Of several WLANs, the one that most sites have.
    const having = highest(uses.map(({ key }) => slugsByKey.get(key)?.size ?? 0))
    const owner = slugs.size > 1 && uses[0] ? ownerOf(uses[0].secret) : undefined
    const isOfMost = slugs.size > 1 && 2 * slugs.size > having
    const where = owner ?? (isOfMost ? '' : ([...slugs][0] ?? ''))
    return [value, unique.take(secretName([where, ...fieldParts(uses)], form))] as const
  })
  return new Map([...names, ...found])
}

function slugsOf(uses: readonly SecretUse[]): Set<string> {
  return new Set(uses.map(({ slug }) => slug))
}

/** The name with these parts; a part in braces is a site variable. */
export function secretName(parts: readonly string[], form: SecretForm): string {
  const words = parts.filter(part => part !== '')
  const spell = (of: (word: string) => string) =>
    words.map(word => (word.startsWith('{') ? word : of(word)))
  if (form.kind === '$file') {
    return spell(word => word.toLowerCase().replace(/[^a-z0-9]+/g, '-')).join('-')
  }
  return form.prefix + spell(word => word.toUpperCase().replace(/[^A-Z0-9]+/g, '_')).join('_')
}

/** The key of the WLAN and the words for the field that most uses have: `iot`, `psk`. Servers count from 1, as they stand. */
export function fieldParts(uses: readonly Pick<SecretUse, 'key' | 'pointer'>[]): string[] {
  const sorted = sortBy(uses, ({ key, pointer }) => `${key} ${pointer}`)
  const servers = sorted.map(({ pointer }) => SERVER_SECRET.exec(pointer) ?? [])
  if (servers.every(({ length }) => length > 0)) {
    const [ofWlan] = usual(sorted, ({ key }) => key)
    const lists = new Set(servers.map(([, list = '']) => list))
    const [list = ''] = Object.keys(SERVER_LISTS).filter(each => lists.has(each))
    const inList = servers.filter(each => each[1] === list)
    const [, , place] = usual(inList, each => each[2])[0] ?? []
    const number = place === undefined ? '' : String(Number(place) + 1)
    const name = lists.size > 1 ? 'radius' : (SERVER_LISTS[list] ?? '')
    return [ofWlan?.key ?? '', name, number, 'secret']
  }
  const [use] = mostFrequent(sorted, ({ key, pointer }) => `${key} ${pointer}`)
  const words = steps(use?.pointer ?? '').map(step =>
    /^\d+$/.test(step) ? String(Number(step) + 1) : step
  )
  return [use?.key ?? '', ...(words[0] === 'auth' ? words.slice(1) : words)]
}

const SERVER_SECRET = /^\/(auth_servers|acct_servers|coa_servers)\/(\d+)\/secret$/
