import { byCodeUnit } from '../model/collections.ts'
import { child, type Pointer, steps } from '../model/pointer.ts'
import { Secret } from '../model/secret.ts'
import { isList, isObject, type Value, type ValueObject } from '../model/value.ts'
import { UniqueNames } from './names.ts'
import type { ImportedSite, ImportedWlan } from './site.ts'

/** A secret of a live WLAN, and the environment variable that refers to it. */
export interface ImportedSecret {
  /** The name of the variable. */
  readonly name: string
  readonly address: string
  readonly pointer: Pointer
  /** The live secret; unknown if the service hides it. */
  readonly secret: Secret
}

/** Assigns unique names to the variables of secrets. */
export class SecretNames {
  readonly #prefix: string
  readonly #names = new UniqueNames('_')

  /** `prefix` begins the names of all secrets. */
  constructor(prefix: string) {
    this.#prefix = prefix
  }

  /** `hq`, `guest` and `/auth/psk` give `WLAN_SECRET_HQ_GUEST_AUTH_PSK`. */
  take(site: string, key: string, pointer: Pointer): string {
    const parts = [site, key, ...steps(pointer).map(oneBased)].filter(part => part !== '')
    const words = parts.map(part => part.toUpperCase().replace(/[^A-Z0-9]+/g, '_'))
    return this.#names.take(this.#prefix + words.join('_'))
  }
}

/** Indexes in names count from 1. */
function oneBased(step: string): string {
  return /^\d+$/.test(step) ? String(Number(step) + 1) : step
}

/** Replaces secrets by references, and collects them. */
export class SecretReferencer {
  readonly secrets: ImportedSecret[] = []
  readonly #names: SecretNames

  constructor(names: SecretNames) {
    this.#names = names
  }

  /**
   * The value with references for its secrets. `at` is its pointer in the WLAN `key`; `slug` names its owner (a
   * site or a profile) in variables, `address` in messages.
   */
  replaceSecrets(
    value: Value,
    at: Pointer,
    of: { readonly slug: string; readonly key: string; readonly address: string }
  ): Value {
    if (value instanceof Secret) return this.#referenceTo(value, at, of)
    if (isList(value))
      return value.map((item, place) => this.replaceSecrets(item, child(at, place), of))
    if (!isObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [
        name,
        this.replaceSecrets(inner, child(at, name), of)
      ])
    )
  }

  #referenceTo(
    secret: Secret,
    pointer: Pointer,
    { slug, key, address }: Parameters<SecretReferencer['replaceSecrets']>[2]
  ): Secret {
    const name = this.#names.take(slug, key, pointer)
    this.secrets.push({ name, address, pointer, secret })
    return new Secret({ $env: name }, undefined)
  }
}

/** The WLANs of a site with references for their secrets; `slug` names the site in variables. */
export function replaceSecretsOf(
  { site, wlans }: ImportedSite,
  slug: string,
  references: SecretReferencer
): readonly ImportedWlan[] {
  return wlans.map(wlan => {
    const of = { slug, key: wlan.key, address: `${site.name}/${wlan.key}` }
    return { ...wlan, fields: references.replaceSecrets(wlan.fields, '', of) as ValueObject }
  })
}

/** The header of a secrets file. */
const HEAD = `# The secrets of imported WLANs. Move them into a vault, and never commit this file.
# Load them into a shell with: set -a; . ./THIS_FILE; set +a
`

/**
 * The secrets as a dotenv file, which a POSIX shell can also read. A secret that is unknown, or that no
 * variable can hold, becomes a comment.
 */
export function dotenv(secrets: readonly ImportedSecret[]): string {
  const lines = [...secrets].sort((a, b) => byCodeUnit(a.name, b.name)).map(dotenvLine)
  return `${HEAD}${lines.map(line => `${line}\n`).join('')}`
}

function dotenvLine({ name, secret }: ImportedSecret): string {
  if (!secret.known) return `# ${name}= (the service hides this secret: enter it)`
  const value = secret.reveal()
  if (/[\0\p{Cs}]/u.test(value))
    return `# ${name}= (an environment variable cannot hold this secret)`
  return `${name}=${shellQuoted(value)}`
}

/**
 * A value in single quotes, which every reader takes literally; in double quotes if it contains single ones,
 * where readers other than shells may take a backslash literally.
 */
function shellQuoted(value: string): string {
  return value.includes("'") ? `"${value.replace(/["$`\\]/g, '\\$&')}"` : `'${value}'`
}
