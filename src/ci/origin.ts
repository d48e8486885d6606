import type { Deployment } from './forge.ts'

type Origin = Pick<Deployment, 'run'>

/** What made a deployment, by its own account: an object or its JSON. Undefined if it is not of wlanctl. */
export function originOf(payload: unknown): Origin | undefined {
  const told = typeof payload === 'string' ? parsed(payload) : payload
  if (typeof told !== 'object' || told === null) return undefined
  const { run, attempt } = told as Record<string, unknown>
  const isKnown = typeof run === 'string' && Number.isSafeInteger(attempt)
  return isKnown ? { run: { id: run, attempt: Number(attempt) } } : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
