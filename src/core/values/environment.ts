export type Environment = Readonly<Record<string, string | undefined>>

/** A shorter secret may be part of any value, so a variable is removed only if it equals the secret. */
const MIN_PART_LENGTH = 8

/**
 * The variables for a child process: without those whose name is that of a secret, and without those that hold the value of
 * one, or one of `secrets`: as it is, in a URL, or within base64. CI systems provide the same token under several names.
 */
export function withoutSecrets(
  env: Environment,
  isSecret: (name: string) => boolean,
  secrets: readonly string[] = []
): Environment {
  const entries = Object.entries(env)
  const named = entries.flatMap(([name, value = '']) => (isSecret(name) ? value : []))
  const forms = [...secrets, ...named].filter(secret => secret !== '').map(formsOf)
  const holdsSecret = (value: string) =>
    forms.some(([secret, ...others]) =>
      secret.length < MIN_PART_LENGTH
        ? value === secret
        : [secret, ...others].some(form => value.includes(form))
    )
  return Object.fromEntries(
    entries.filter(([name, value = '']) => !isSecret(name) && !holdsSecret(value))
  )
}

function formsOf(secret: string): readonly [secret: string, ...others: string[]] {
  return [secret, encodeURIComponent(Buffer.from(secret).toString()), ...base64Of(secret)]
}

/** The base64 of a text wherever it stands in a longer one, such as `Basic` credentials: without the ends, which depend on it. */
function base64Of(text: string): string[] {
  return [0, 1, 2].map(before => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(text)])
    const end = Math.floor((8 * bytes.length) / 6)
    return bytes.toString('base64').slice(before === 0 ? 0 : before + 1, end)
  })
}
