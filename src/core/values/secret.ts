/**
 * The source of a secret, which is the only fact about a secret that may be shown.
 *
 * | reference           | meaning                                                            |
 * |---------------------|--------------------------------------------------------------------|
 * | `{ $env: name }`    | an environment variable of the run                                 |
 * | `{ $file: name }`   | a file below the secrets directory                                 |
 * | `$version: n`       | of those two: increases when the value is rotated under the same name |
 * | `{ $live: true }`   | not declared; the live value is sent along in its field            |
 * | `{ $plaintext: true }` | plaintext in the YAML, which the policy allowed                 |
 */
export type SecretReference =
  | { readonly $env: string; readonly $version?: number }
  | { readonly $file: string; readonly $version?: number }
  | { readonly $live: true }
  | { readonly $plaintext: true }

/** The name in the reference of a secret; undefined for a secret without one. */
export function nameOfSecret({ reference }: Secret): string | undefined {
  if ('$env' in reference) return reference.$env
  return '$file' in reference ? reference.$file : undefined
}

/** The name in a reference, with its kind: `$env WLAN_SECRET_GUEST`; undefined for a secret without one. */
export function referenceName(reference: SecretReference): string | undefined {
  if ('$env' in reference) return `$env ${reference.$env}`
  return '$file' in reference ? `$file ${reference.$file}` : undefined
}

/** Equal for known secrets with the same name, or without a name and with the same value. For keys of maps: keep it in memory. */
export function secretIdentity(secret: Secret): string {
  return referenceName(secret.reference) ?? `value ${secret.reveal()}`
}

/** Why an unknown secret is sent: its `$version` or name differs from the base, or by request. */
export interface Rotation {
  readonly cause: 'version' | 'reference'
  /** The reference at the base revision; absent if it has none. */
  readonly from?: SecretReference
}

const MASK = '(secret)'

/**
 * A secret string that cannot be shown by accident: strings, JSON and the debugger contain the mask or the
 * reference, but never the value, its length or anything computed from it. It may be unknown: a reference
 * that this run could not resolve, or a live secret that the service hides.
 */
export class Secret {
  readonly reference: SecretReference
  readonly #value: string | undefined
  readonly #redacted: boolean

  /** `value` is undefined if the secret is unknown. */
  constructor(reference: SecretReference, value: string | undefined, redacted = false) {
    this.reference = reference
    this.#value = value
    this.#redacted = redacted
  }

  /** A secret from a response of the service; what may be a mask is unknown. */
  static live(value: string): Secret {
    return new Secret({ $live: true }, mayBeMask(value) ? undefined : value)
  }

  /** A live secret that the service showed and a snapshot redacted: only its existence is known. */
  static redacted(): Secret {
    return new Secret({ $live: true }, undefined, true)
  }

  /** The same secret with the declared version; only `$env` and `$file` have one. */
  withVersion($version: number): Secret {
    const { reference } = this
    if (!('$env' in reference || '$file' in reference)) return this
    return new Secret({ ...reference, $version }, this.#value)
  }

  /** True if the value is known: it can be compared and sent. */
  get known(): boolean {
    return this.#value !== undefined
  }

  /** True if the existence of the secret is known, with or without its value. */
  get certain(): boolean {
    return this.known || this.#redacted
  }

  /** True for a live secret that the service shows as a mask. */
  get hidden(): boolean {
    return '$live' in this.reference && !this.certain
  }

  /** True for the empty string, which is not a secret. */
  get empty(): boolean {
    return this.#value === ''
  }

  equals(other: Secret): boolean {
    return this.#value !== undefined && this.#value === other.#value
  }

  /** False if both are known and differ. */
  mayEqual(other: Secret): boolean {
    return !this.known || !other.known || this.equals(other)
  }

  /**
   * The value itself. Only for request bodies, for rules on resolved values, for the redactor, and for output
   * that the user requested: a new API token, the secrets of an import. Throws if the secret is unknown.
   */
  reveal(): string {
    if (this.#value === undefined) throw new Error('an unknown secret cannot be revealed')
    return this.#value
  }

  toString(): string {
    return MASK
  }

  toJSON(): SecretReference {
    return this.reference
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return MASK
  }
}

/**
 * True for a text that is a mask beyond doubt: the string that a service shows instead of a secret. Sending it
 * would destroy the secret.
 *
 * | form                                              | e.g.                                |
 * |---------------------------------------------------|-------------------------------------|
 * | asterisks only, or four in a row                  | `***`, `te*****23`                  |
 * | one non-ASCII symbol only, or four in a row       | `••••••••`, `● ● ●`, `te••••23` |
 * | words without digits in brackets, or between two marks or more | `<hidden>`, `[FILTERED]`, `__not shown__` |
 * | the word `redacted` alone                         | `REDACTED`                          |
 * | a variable named after its absence                | `{{hidden}}`                        |
 */
export function isMask(value: string): boolean {
  if (!COULD_BE_MASK.test(value)) return false
  const solid = value.replace(/\s+/g, '')
  return (
    /^\*+$/.test(solid) ||
    value.includes('****') ||
    /^([^\p{L}\p{M}\p{N}\p{C}\p{ASCII}])\1*$/u.test(solid) ||
    /([^\p{L}\p{M}\p{N}\p{C}\p{ASCII}])\1{3}/u.test(value) ||
    isPlaceholder(value.trim())
  )
}

function isPlaceholder(text: string): boolean {
  if (VARIABLE.test(text)) return /^..\s?(?:redacted|masked|hidden|filtered)\s?..$/i.test(text)
  return /^redacted$/i.test(text) || (BETWEEN_MARKS.test(text) && !/^[*_#•-]\s?\p{L}/u.test(text))
}

/**
 * True for a mask, and for a text that may be one, although a user may choose it as a secret. A live value of
 * such a form counts as unknown; a declared one is a value like any other.
 *
 * | form                                              | e.g.                                |
 * |---------------------------------------------------|-------------------------------------|
 * | one character only, three times or more, unless it is a digit or an English letter other than x | `xxxxxxxx`, `####`, `. . .` |
 * | two asterisks in a row                            | `ab**cd`                            |
 * | four of another sign, or of the letter x, in a row | `ab....cd`, `abXXXX23`             |
 * | words without digits between marks                | `-hidden-`                          |
 */
export function mayBeMask(value: string): boolean {
  const solid = value.replace(/\s+/g, '')
  return (
    /^([^0-9A-WYZa-wyz])\1{2,}$/su.test(solid) ||
    /\*\*|([^\p{L}\p{M}\p{N}\s]|[xX])\1{3}/u.test(value) ||
    (!VARIABLE.test(value) && BETWEEN_MARKS.test(value.trim())) ||
    isMask(value)
  )
}

/** Every mask matches, few secrets do. The flag `u` would equate `k` and `s` with other letters. */
const COULD_BE_MASK = /[*\u0080-\uffff]|^\s*(?:redacted|[<[({_#-])/i

/** Words without digits between brackets or marks. */
const BETWEEN_MARKS = /^[<[({*_#•-]{1,8}\s?\p{L}[\p{L}\s'’.:…_-]*?[>\])}*_#•-]{1,8}$/u

const VARIABLE = /^\{\{ ?\w[\w.-]{0,99} ?\}\}$/

/** The names of vaults, and of their tools, before a colon. */
const VAULT_NAMES =
  'aws[-_]?(?:secrets?(?:[-_]?manager)?|sm|ssm|kms|parameter[-_]?store)|secretsmanager|(?:azure[-_]?|az|a)?key[-_]?vault|azkv|akv|azurekv|(?:gcp|google)[-_]?(?:sm|secrets?(?:[-_]?manager)?)|gsm|(?:hashi(?:corp)?[-_]?)?vault|doppler|infisical|conjur|akeyless|keepass(?:xc)?|1password|onepassword|bitwarden|lastpass|keyring|keychain|sops|secretkeyref'

/** The forms of values that are certainly not the secret, each with what it looks like in words. */
const PLACEHOLDER_FORMS: readonly (readonly [form: RegExp, looksLike: string])[] = [
  [/^(["'`]).*\1$|^[“„‘«].*[”“’»]$/su, 'wrapped in quotes'],
  [
    /^(?:ENC\[|ENC\(.*\)$|\{cipher\}|-----BEGIN (?:PGP|AGE)|age-encryption\.org\/|\$ANSIBLE_VAULT;|vault:v\d+:)/,
    'encrypted text'
  ],
  [/^\$\{\{.*\}\}$|^\$[[(].*[\])]$|^<%.*%>$|^\(\([\w./-]+\)\)$/s, 'an expression of a workflow'],
  [
    /^[$#%@]\{.*\}$|^\$[A-Z]\w*_\w*$|^%[A-Z]\w*_\w*%$|^@@\w+@@$/s,
    'a variable that nothing replaced'
  ],
  [/^\{\{\s*(?:\w[\w.]*\s*[(|:]|\w[\w.]*\s+\w|\.).*\}\}$/s, 'an expression of a template'],
  [
    new RegExp(
      `^(?:(?:${VAULT_NAMES}|op|bws?|sm|kms|ssm|pass|env|file|ref\\+[a-z0-9]+)(?:\\+https?)?://\\S+|(?:${VAULT_NAMES}):[a-z/]\\S*)$`,
      'i'
    ),
    'a reference of a vault'
  ],
  [
    /^(?:!vault\b|secret(?:ref)?:\S+\/\S+$|ssm:\/|arn:aws[\w-]*:(?:secretsmanager|ssm|kms):|aws:(?:secretsmanager|ssm):|@Microsoft\.KeyVault\(|projects\/[^/]+\/secrets\/|https:\/\/[\w-]+\.vault\.azure\.(?:net|cn)\/|<path:)/i,
    'a reference of a vault'
  ],
  [
    /^(?:file:)?(?:(?:\/var)?\/run|\/etc|\/mnt|\/vault)\/secrets?[\w-]*\/\S+$/,
    'the path of a file'
  ],
  [/^(?:x{3,}|X{3,}|#{3,})$/, 'a mask'],
  [/^\(?(?:null|undefined|none|nil|nan)\)?$|^\[object \w+\]$/i, 'the empty value of a program'],
  [
    /^(?:(?:change|replace|fill)[ _-]?(?:me|it|this|in)|to[ _-]?do|tbd|fixme|placeholder|not[ _-]set|your[ _-](?:[a-z\d]+[ _-])*(?:psk|key|secret|password|passphrase)(?:[ _-]here)?)[.!]*$/i,
    'a placeholder'
  ]
]

/**
 * What a resolved secret looks like if it certainly is not the secret itself: a mask, the reference of a vault or
 * workflow that nothing replaced, quotes around it, a placeholder. Undefined for a value that a user may choose. The
 * words never contain the value.
 */
export function placeholderKind(value: string): string | undefined {
  const text = value.trim()
  if (text === '"' || text === "'" || text === '`') return undefined
  return (
    PLACEHOLDER_FORMS.find(([form]) => form.test(text))?.[1] ??
    (isMask(value) ? 'a mask' : undefined)
  )
}

/**
 * True for exactly one variable of the service, `{{name}}`: the service replaces it, so the string is not a
 * secret. Text around it, as in `abc{{name}}`, makes it part of a secret.
 */
export function isServiceVariable(value: unknown): value is string {
  return typeof value === 'string' && VARIABLE.test(value) && !isPlaceholder(value)
}

/** True for a text with a variable of the service somewhere in it: `{{net}}.10`. Its value is unknown. */
export function holdsServiceVariable(value: unknown): value is string {
  return typeof value === 'string' && /\{\{ ?\w[\w.-]{0,99} ?\}\}/.test(value)
}

/** True for a WPA pre-shared key: 8 to 63 printable ASCII characters, or 64 hexadecimal digits. */
export function isPsk(psk: string): boolean {
  return /^[\x20-\x7e]{8,63}$/.test(psk) || /^[0-9a-f]{64}$/i.test(psk)
}
