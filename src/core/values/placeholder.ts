import { isMask } from './secret.ts'

/** The forms of values that are certainly not the secret, each with what it looks like in words. */
const FORMS: readonly (readonly [form: RegExp, looksLike: string])[] = [
  [/^(["'`]).*\1$|^[“„‘«].*[”“’»]$/su, 'wrapped in quotes'],
  [/^(?:ENC\[|-----BEGIN (?:PGP|AGE)|\$ANSIBLE_VAULT;|vault:v\d+:)/, 'encrypted text'],
  [/^\$\{\{.*\}\}$|^\$[[(].*[\])]$|^<%.*%>$/s, 'an expression of a workflow'],
  [/^\$\{.*\}$|^\$[A-Z]\w*_\w*$|^%[A-Z]\w*_\w*%$/s, 'a variable that nothing replaced'],
  [/^\{\{\s*(?:\w[\w.]*\s*[(|:]|\w[\w.]*\s+\w|\.).*\}\}$/s, 'an expression of a template'],
  [
    /^(?:op|bws?|akv|azurekv|gcp-?sm|gcp-?secrets?|aws-?secrets?|aws-?sm|secretsmanager|sm|kms|ssm|vault|doppler|infisical|conjur|keepass|pass|keyring|env|file|ref\+[a-z0-9]+):\/\/\S+$/i,
    'a reference of a vault'
  ],
  [
    /^(?:!vault\b|vault:\S*[/#]|secret(?:ref)?:\S+\/\S+$|ssm:\/|arn:aws[\w-]*:(?:secretsmanager|ssm|kms):|@Microsoft\.KeyVault\(|projects\/[^/]+\/secrets\/|<path:)/i,
    'a reference of a vault'
  ],
  [/^(?:\/var)?\/run\/secrets\/\S+$/, 'the path of a file'],
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
