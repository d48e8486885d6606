/**
 * Where a secret comes from; the only thing about it that may be shown.
 *
 * | reference           | meaning                                                            |
 * |---------------------|--------------------------------------------------------------------|
 * | `{ $env: name }`    | an environment variable of the run                                 |
 * | `{ $file: name }`   | a file below the secrets directory                                 |
 * | `{ $live: true }`   | nobody declared it; the live value travels along in its field      |
 * | `{ $plaintext: true }` | written in clear in the YAML, which the policy had to allow     |
 */
export type SecretReference =
  | { readonly $env: string }
  | { readonly $file: string }
  | { readonly $live: true }
  | { readonly $plaintext: true }

/** What a secret prints as, wherever somebody prints one by mistake. */
const MASK = '(secret)'

/**
 * A secret string that cannot be shown by accident.
 *
 * It is one from the moment it is read. Text, JSON and the debugger see the mask or the reference;
 * the value, its length and anything computed from it stay inside. It may be unknown: a reference
 * that this run could not resolve, or a live secret that the service hides.
 */
export class Secret {
  readonly reference: SecretReference
  readonly #value: string | undefined
  readonly #redacted: boolean

  /** `value` is undefined where the secret is unknown. */
  constructor(reference: SecretReference, value: string | undefined, redacted = false) {
    this.reference = reference
    this.#value = value
    this.#redacted = redacted
  }

  /** A secret as the service answered it; one that the service masks is unknown. */
  static live(value: string): Secret {
    return new Secret({ $live: true }, isMasked(value) ? undefined : value)
  }

  /** A live secret that the service showed, and that was not kept: there is one, and no more is known. */
  static withheld(): Secret {
    return new Secret({ $live: true }, undefined, true)
  }

  /** True where the value is at hand: it can be compared, and it can be sent. */
  get known(): boolean {
    return this.#value !== undefined
  }

  /** True where it is known whether there is a secret at all, be its value at hand or withheld. */
  get certain(): boolean {
    return this.known || this.#redacted
  }

  /** True for a live secret that the service hides: a mask stands in its place. */
  get hidden(): boolean {
    return '$live' in this.reference && !this.certain
  }

  /** True for a known secret that is the empty string, which is no secret at all. */
  get empty(): boolean {
    return this.#value === ''
  }

  /** True if both are known and the same. Tells nothing else about either. */
  equals(other: Secret): boolean {
    return this.#value !== undefined && this.#value === other.#value
  }

  /**
   * The value itself. For the code that builds a request body, for the rules that check a resolved
   * value, for what takes secrets out of the service's words, and for what its owner asked to see: a new
   * API token, the secrets of an import; for nothing else. Throws if the secret is unknown.
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
 * True for what a service shows instead of a secret. Writing such a string back would destroy the secret.
 * What may well be a secret, such as `xxxxxxxx` or `password`, is none.
 *
 * | form                                              | e.g.                                |
 * |---------------------------------------------------|-------------------------------------|
 * | nothing but asterisks, or four in a row           | `***`, `te*****23`                  |
 * | nothing but one symbol that is not ASCII, or four in a row | `••••••••`, `● ● ●`, `te••••23` |
 * | a word for it between marks                       | `<hidden>`, `[REDACTED]`, `(not shown)` |
 * | the word `redacted` alone                         | `REDACTED`                          |
 */
export function isMasked(value: string): boolean {
  const solid = value.replace(/\s+/g, '')
  return (
    /^\*+$/.test(solid) ||
    value.includes('****') ||
    /^([^\p{L}\p{M}\p{N}\p{C}\p{ASCII}])\1*$/u.test(solid) ||
    /([^\p{L}\p{M}\p{N}\p{C}\p{ASCII}])\1{3}/u.test(value) ||
    MARKER.test(value.trim())
  )
}

/** Braces are not among the marks: `{{password}}` is a variable of the service. */
const MARKER =
  /^(?:redacted|[<[(*_#•-]{1,8}\s?(?:redacted|masked|hidden|secret|removed|omitted|withheld|suppressed|concealed|obfuscated|encrypted|protected|not[ _-]?(?:shown|displayed|available)|(?:value|password|psk|key|secret|passphrase)[ _-](?:is[ _-])?(?:redacted|masked|hidden|set|not[ _-]shown))\s?[>\])*_#•-]{1,8})$/i
