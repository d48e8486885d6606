import { isMask } from './secret.ts'

/** The names of vaults, and of their tools, before a colon. */
const VAULT =
  'aws[-_]?(?:secrets?(?:[-_]?manager)?|sm|ssm|kms|parameter[-_]?store)|secretsmanager|(?:azure[-_]?|az|a)?key[-_]?vault|azkv|akv|azurekv|(?:gcp|google)[-_]?(?:sm|secrets?(?:[-_]?manager)?)|gsm|(?:hashi(?:corp)?[-_]?)?vault|doppler|infisical|conjur|akeyless|keepass(?:xc)?|1password|onepassword|bitwarden|lastpass|keyring|keychain|sops|secretkeyref'

/** The forms of values that are certainly not the secret, each with what it looks like in words. */
const FORMS: readonly (readonly [form: RegExp, looksLike: string])[] = [
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
      `^(?:(?:${VAULT}|op|bws?|sm|kms|ssm|pass|env|file|ref\\+[a-z0-9]+)(?:\\+https?)?://\\S+|(?:${VAULT}):[a-z/]\\S*)$`,
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
  return FORMS.find(([form]) => form.test(text))?.[1] ?? (isMask(value) ? 'a mask' : undefined)
}
