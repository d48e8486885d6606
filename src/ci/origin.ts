import type { Deployment } from './forge.ts'

type Origin = Pick<Deployment, 'run' | 'command' | 'isWhole'>

const commands: readonly unknown[] = ['apply', 'reconcile', 'revert']

/**
 * What a deployment says about itself: an object or its JSON. Undefined if it is not of wlanctl.
 */
export function originOf(payload: unknown): Origin | undefined {
  const told = typeof payload === 'string' ? parsed(payload) : payload
  if (typeof told !== 'object' || told === null) return undefined
  const { run, attempt, command, isWhole } = told as Record<string, unknown>
  if (!isCommand(command) || typeof isWhole !== 'boolean') return undefined
  const isKnown = typeof run === 'string' && Number.isSafeInteger(attempt)
  return { command, isWhole, run: isKnown ? { id: run, attempt: Number(attempt) } : undefined }
}

function isCommand(command: unknown): command is Origin['command'] {
  return commands.includes(command)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
