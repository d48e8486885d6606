import { slugOf, UniqueNames } from '../../core/audit/slug.ts'
import {
  groupBy,
  highest,
  mostFrequent,
  present,
  sortBy,
  usual
} from '../../core/values/collections.ts'
import { type Pointer, steps } from '../../core/values/pointer.ts'
import { Secret } from '../../core/values/secret.ts'
import { mapValue, secretsWithin, type Value, type ValueObject } from '../../core/values/value.ts'
import { fileNamePart } from '../../fleet/secrets/source.ts'
import { envNamePart } from '../../fleet/secrets/variable-names.ts'
import { SERVER_LISTS, wordOfStep } from './names.ts'
import type { ImportedWlan, RequestedImport } from './site.ts'

/** How the files of an import refer to secrets. */
export interface SecretForm {
  readonly kind: '$env' | '$file'
  /** That of the names of variables. */
  readonly prefix: string
}

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
  /** As in the name of a secret. */
  readonly site: string
  readonly key: string
  readonly address: string
  readonly pointer: Pointer
  readonly secret: Secret
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
  /** What `{site}` in the name of a secret stands for at a site. */
  readonly partOf: (site: RequestedImport) => string
  readonly form: SecretForm
  readonly #names: ReadonlyMap<unknown, string>

  /**
   * `keys`: the words for some WLANs, which have their key otherwise; `ownerOf`: what a secret of some sites belongs to, such
   * as their group; by default, their first site.
   */
  constructor(
    sites: readonly RequestedImport[],
    form: SecretForm,
    keys: ReadonlyMap<ImportedWlan, string> = new Map(),
    ownerOf: (secret: Secret) => string | undefined = () => undefined
  ) {
    const partOf = ({ name }: RequestedImport) => spell[form.kind](name)
    const parts = new UniqueNames(form.kind === '$env' ? '_' : '-')
    const byValue = groupBy(
      sites.flatMap(site => {
        const part = partOf(site)
        const word = parts.take(/[a-z\d]/i.test(part) ? part : spell[form.kind](site.slug))
        return usesIn(site, word, keys)
      }),
      ({ secret }) => identityOf(secret)
    )
    const names = namesOf([...byValue], form, ownerOf)
    this.form = form
    this.partOf = partOf
    this.#names = names
    this.secrets = [...byValue].map(([value, [{ address, pointer, secret }, ...others]]) => {
      return { name: names.get(value) ?? '', address, pointer, uses: others.length + 1, secret }
    })
  }

  nameOf(secret: Secret): string {
    return this.#names.get(identityOf(secret)) ?? ''
  }

  /** Replaces the secrets in a value by references; they must be secrets of the sites. */
  replaceSecrets(value: Value): Value {
    return mapValue(value, inner =>
      inner instanceof Secret ? this.referenceTo(this.nameOf(inner)) : undefined
    )
  }

  referenceTo(name: string): ValueObject {
    return { [this.form.kind]: name }
  }
}

/** A key that is equal for equal secrets; an unknown secret equals only itself. */
export function identityOf(secret: Secret): unknown {
  return secret.known ? secret.reveal() : secret
}

function usesIn(
  { name, wlans }: RequestedImport,
  site: string,
  keys: ReadonlyMap<ImportedWlan, string>
): SecretUse[] {
  return wlans.flatMap(wlan => {
    const key = keys.get(wlan) ?? wlan.key
    const use = { site, key, address: `${name}/${key}` }
    return [...secretsWithin(wlan.fields)].map(([pointer, secret]) => ({ ...use, pointer, secret }))
  })
}

/** If two secrets would have the same name, the one with more uses gets it without a number. */
function namesOf(
  secrets: readonly (readonly [value: unknown, uses: readonly [SecretUse, ...SecretUse[]]])[],
  { kind, prefix }: SecretForm,
  ownerOf: (secret: Secret) => string | undefined
): ReadonlyMap<unknown, string> {
  const [start, separator] = kind === '$env' ? [prefix, '_'] : ['', '-']
  const unique = new UniqueNames(separator)
  const sitesOf = (uses: readonly SecretUse[]) => new Set(uses.map(({ site }) => site))
  const all = secrets.flatMap(([, uses]) => uses)
  const having = new Map(
    [...groupBy(all, ({ key }) => key)].map(([key, uses]) => [key, sitesOf(uses).size])
  )
  const byUse = [...secrets].sort(([, a], [, b]) => b.length - a.length)
  return new Map(
    byUse.map(([value, uses]) => {
      const sites = sitesOf(uses)
      // Of several WLANs, the one that most sites have.
      const most = highest(uses.map(({ key }) => having.get(key) ?? 0))
      const owner = sites.size > 1 ? ownerOf(uses[0].secret) : undefined
      const isOfMost = sites.size > 1 && 2 * sites.size > most
      const site = owner !== undefined || isOfMost ? '' : uses[0].site
      const words = present(owner, ...fieldParts(uses)).map(word => spell[kind](slugOf(word)))
      return [value, unique.take(start + present(site, ...words).join(separator))]
    })
  )
}

/** A part of a name. */
const spell = { $env: envNamePart, $file: fileNamePart }

/** The key of the WLAN and the words for the field that most uses have: `iot`, `psk`. Servers count from 1, as they stand. */
function fieldParts(uses: readonly SecretUse[]): string[] {
  const sorted = sortBy(uses, ({ key, pointer }) => `${key} ${pointer}`)
  const servers = sorted.flatMap(({ pointer }) => {
    const [list = '', place = '', member] = steps(pointer)
    return SERVER_LISTS[list] !== undefined && member === 'secret' ? [{ list, place }] : []
  })
  if (servers.length === sorted.length) {
    const [ofWlan] = usual(sorted, ({ key }) => key)
    const list = Object.keys(SERVER_LISTS).find(name => servers.some(each => each.list === name))
    const [server] = usual(
      servers.filter(each => each.list === list),
      ({ place }) => place
    )
    const number = server && wordOfStep(server.place)
    return present(ofWlan?.key, SERVER_LISTS[list ?? ''], number, 'secret')
  }
  const [use] = mostFrequent(sorted, ({ key, pointer }) => `${key} ${pointer}`)
  const words = steps(use?.pointer ?? '').map(wordOfStep)
  return present(use?.key, ...(words[0] === 'auth' ? words.slice(1) : words))
}
