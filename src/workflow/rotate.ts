import type { Desired } from '../model/desired.ts'
import { exit, Failure } from '../model/failure.ts'
import type { Pointer } from '../model/pointer.ts'
import { withRotations } from '../plan/rotation.ts'
import type { SecretSource } from '../secrets/source.ts'
import type { WorkflowHost } from './host.ts'
import { loadDesired } from './load-desired.ts'

/** A valid fleet, marked with the secrets to send although the service hides their live values. */
export interface RotatedFleet {
  readonly desired: Desired
  /** True if there is such a secret. */
  readonly rotates: boolean
}

/** The options to load a fleet, and the secrets that the command line selects for rotation. */
type RotationOptions = Parameters<typeof loadDesired>[1] & {
  readonly sendSecret: readonly Pointer[]
}

/**
 * Loads a fleet from YAML for the commands that rotate secrets. Throws (exit 3) as `loadDesired` does, and if
 * no selected WLAN declares a secret that the command line selects.
 */
export async function loadRotated(
  fleet: string,
  options: RotationOptions,
  secrets: SecretSource,
  host: WorkflowHost
): Promise<RotatedFleet> {
  const { desired } = await loadDesired(fleet, options, secrets, host)
  const { sites, unmatched, rotates } = withRotations(desired.sites, options.sendSecret)
  const [first] = unmatched
  if (first === undefined || sites.length === 0) return { desired: { ...desired, sites }, rotates }
  throw new Failure(
    exit.wrongInput,
    `--send-secret ${first}: no selected WLAN declares a secret at this pointer; nothing was sent`,
    'give the pointer of a declared secret, e.g. /auth/psk, and select its WLANs with --site and --wlan'
  )
}
