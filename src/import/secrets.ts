import { byCodeUnit } from '../model/collections.ts'
import { child, type Pointer, steps } from '../model/pointer.ts'
import { Secret } from '../model/secret.ts'
import { isList, isObject, type Value, type ValueObject } from '../model/value.ts'
import { UniqueNames } from './names.ts'
import type { ImportedSite, ImportedWlan } from './site.ts'

/** A secret of a live WLAN, and the variable that stands for it from now on. */
export interface ImportedSecret {
  /** Of the variable. */
  readonly name: string
  readonly address: string
  readonly pointer: Pointer
  /** The live one; unknown where the service hides it. */
  readonly secret: Secret
}

/** Names the variables of secrets, each once in a run. */
export class SecretNames {
  readonly #prefix: string
  readonly #names = new UniqueNames('_')

  /** `prefix` is what the names of all secrets begin with. */
  constructor(prefix: string) {
    this.#prefix = prefix
  }

  /** `hq`, `guest` and `/auth/psk` give `WLAN_SECRET_HQ_GUEST_AUTH_PSK`. */
  take(site: string, key: string, pointer: Pointer): string {
    const parts = [site, key, ...steps(pointer).map(fromOne)].filter(part => part !== '')
    const words = parts.map(part => part.toUpperCase().replace(/[^A-Z0-9]+/g, '_'))
    return this.#names.take(this.#prefix + words.join('_'))
  }
}

/** People count from one. */
function fromOne(step: string): string {
  return /^\d+$/.test(step) ? String(Number(step) + 1) : step
}

/** Puts references in the place of secrets, and keeps what they stand for. */
export class References {
  readonly secrets: ImportedSecret[] = []
  readonly #names: SecretNames

  constructor(names: SecretNames) {
    this.#names = names
  }

  /**
   * The value with references for its secrets. It stands `at` this place of the WLAN `key`; `slug` is what
   * the site, or whatever it belongs to, is called in names, and `address` what it is called for people.
   */
  in(
    value: Value,
    at: Pointer,
    of: { readonly slug: string; readonly key: string; readonly address: string }
  ): Value {
    if (value instanceof Secret) return this.#refer(value, at, of)
    if (isList(value)) return value.map((item, place) => this.in(item, child(at, place), of))
    if (!isObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, this.in(inner, child(at, name), of)])
    )
  }

  #refer(
    secret: Secret,
    pointer: Pointer,
    { slug, key, address }: Parameters<References['in']>[2]
  ): Secret {
    const name = this.#names.take(slug, key, pointer)
    this.secrets.push({ name, address, pointer, secret })
    return new Secret({ $env: name }, undefined)
  }
}

/** The WLANs of a site with references for their secrets; `slug` is what the site is called in names. */
export function referSecrets(
  { site, wlans }: ImportedSite,
  slug: string,
  references: References
): readonly ImportedWlan[] {
  return wlans.map(wlan => {
    const of = { slug, key: wlan.key, address: `${site.name}/${wlan.key}` }
    return { ...wlan, fields: references.in(wlan.fields, '', of) as ValueObject }
  })
}

/** What stands at the head of a file of secrets. */
const HEAD = `# The secrets of imported WLANs, for moving them into a vault: keep this file out of Git.
# A shell takes them with: set -a; . ./THIS_FILE; set +a
`

/**
 * The secrets as lines of a dotenv file, which a POSIX shell may also read. One that is unknown, or
 * that no variable can hold, is a comment.
 */
export function dotenv(secrets: readonly ImportedSecret[]): string {
  const lines = [...secrets].sort((a, b) => byCodeUnit(a.name, b.name)).map(dotenvLine)
  return `${HEAD}${lines.map(line => `${line}\n`).join('')}`
}

function dotenvLine({ name, secret }: ImportedSecret): string {
  if (!secret.known) return `# ${name}= (the service does not show it: fill it in)`
  const value = secret.reveal()
  if (/[\0\p{Cs}]/u.test(value)) return `# ${name}= (no variable can hold it)`
  return `${name}=${shellWord(value)}`
}

/**
 * A value in quotes. Between single ones it is itself for every reader; one that holds those goes
 * between double ones, where readers other than shells may take a backslash for itself.
 */
function shellWord(value: string): string {
  return value.includes("'") ? `"${value.replace(/["$`\\]/g, '\\$&')}"` : `'${value}'`
}
