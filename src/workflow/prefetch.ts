import type { Reader } from '../api/client.ts'
import type { Connection } from '../api/connection.ts'
import { connectionOf } from '../cli/connection.ts'
import type { Io } from '../cli/io.ts'
import type { PlanningOptions } from '../cli/options.ts'
import type { Desired } from '../model/desired.ts'
import type { SecretSource } from '../secrets/source.ts'
import { loadDesired } from './make-plan.ts'

/** How the service is opened, and what a run asks of its files. */
interface Opening<R extends Reader> {
  readonly open: (connection: Connection) => R
  /** Stops every request. */
  readonly signal: AbortSignal
  readonly secrets?: SecretSource
  /** Throws if what is desired cannot be had. */
  readonly check?: (desired: Desired) => void
}

/**
 * YAML → desired, and the service opened. Of a large fleet the first sites are being listed while its
 * files are still read; if anything is wrong with those, that is dropped without a word. What is wrong
 * with the files is told before anything that is wrong with the connection.
 */
export async function loadAndOpen<R extends Reader>(
  fleet: string,
  options: PlanningOptions,
  io: Io,
  { open, signal, secrets, check }: Opening<R>
): Promise<{ readonly desired: Desired; readonly service: R }> {
  let settle: (desired: Desired) => void = () => undefined
  const declared = new Promise<Desired>(resolve => {
    settle = resolve
  })
  const opening = connectionOf(options, io, signal, declared).then(open)
  const opened = await opening.catch(() => undefined)
  try {
    const desired = await loadDesired(
      fleet,
      options,
      io,
      secrets,
      opened && (site => opened.listAhead(site))
    )
    settle(desired)
    check?.(desired)
    return { desired, service: await opening }
  } catch (error) {
    await opened?.close()
    throw error
  }
}
