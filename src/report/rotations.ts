import type { Change } from '../model/plan.ts'
import type { Pointer } from '../model/pointer.ts'
import type { Rotation, SecretReference } from '../model/secret.ts'
import { secretReferenceIn, valueAt } from '../model/value.ts'
import { escapeInside } from './escape.ts'

/** Why a secret is sent although it is unknown. */
export interface RotationText {
  readonly text: string
  /** True if the text has the name of the secret. */
  readonly names: boolean
}

/**
 * Why a change sends a secret although it is unknown; undefined for any other field.
 *
 *     (secret) rotates, version 2 → 3
 *     (secret) rotates, WLAN_SECRET_GUEST → WLAN_SECRET_GUEST_2027
 *     (secret) sent on request
 */
export function rotationText(change: Change, pointer: Pointer): RotationText | undefined {
  const { secrets = {}, rotations = {}, request } = change
  if (!Object.hasOwn(secrets, pointer) || secrets[pointer] !== 'rotates') return undefined
  const rotation = Object.hasOwn(rotations, pointer) ? rotations[pointer] : undefined
  const to = secretReferenceIn(valueAt(request.body, pointer) ?? null)
  return { text: `(secret) ${reasonOf(rotation, to)}`, names: rotation?.cause === 'reference' }
}

function reasonOf(rotation: Rotation | undefined, to: SecretReference | undefined): string {
  switch (rotation?.cause) {
    case 'request':
      return 'sent on request'
    case 'reference':
      return `rotates, ${nameOf(rotation.from)} → ${nameOf(to)}`
    case 'version':
      return `rotates, version ${versionOf(rotation.from)} → ${versionOf(to)}`
    case undefined:
      return 'rotates'
  }
}

function nameOf(reference: SecretReference | undefined): string {
  if (reference === undefined) return '(unset)'
  if ('$env' in reference) return escapeInside(reference.$env)
  return '$file' in reference ? `the file ${escapeInside(reference.$file)}` : '(unset)'
}

function versionOf(reference: SecretReference | undefined): string {
  const version = reference && '$version' in reference ? reference.$version : undefined
  return version === undefined ? '(unset)' : String(version)
}
