import type { Status } from '../../model/outcome.ts'
import type { Severity } from '../severity.ts'

/** What a page says of a WLAN: one of these, and a declared one always has one. */
export type CellStatus =
  | Status
  | Severity
  | 'blocked'
  | 'unread'
  | 'uncompared'
  | 'unmanaged'
  | 'sync'

/** How a status looks where there is no room for words; told apart without colour, too. */
export type Shape =
  | 'low'
  | 'third'
  | 'half'
  | 'full'
  | 'alarm'
  | 'hollow'
  | 'cross'
  | 'dot'
  | 'slit'

export interface StatusLook {
  readonly status: CellStatus
  /** One letter, for larger cells and for whoever cannot tell shapes apart. */
  readonly letter: string
  readonly label: string
  /** What it means, in a sentence. */
  readonly means: string
  readonly shape: Shape
}

/** All statuses, worst first. Their order is that of every list in the page. */
export const looks: readonly StatusLook[] = [
  look('unknown', '?', 'unknown', 'cross', 'Sent, and its fate could not be learned.'),
  look('diverged', 'V', 'diverged', 'alarm', 'Accepted, but reading it back shows otherwise.'),
  look('failed', 'F', 'failed', 'full', 'Known not to be written.'),
  look('downgrade', 'D', 'security downgrade', 'alarm', 'The network gets less safe.'),
  look('outage', 'O', 'outage', 'full', 'Clients lose this network.'),
  look('unread', 'X', 'not read', 'cross', 'The site could not be read: nothing is known.'),
  look('blocked', 'B', 'blocked', 'hollow', 'It cannot be planned; the findings say why.'),
  look(
    'stale',
    'L',
    'stale',
    'hollow',
    'Somebody else changed it since the plan; nothing was sent.'
  ),
  look('reconnect', 'R', 'reconnect', 'half', 'Clients are dropped and come back.'),
  look('skipped', 'K', 'skipped', 'slit', 'Not tried.'),
  look('none', 'N', 'no interruption', 'third', 'It differs; to change it interrupts nobody.'),
  look(
    'uncompared',
    'S',
    'not compared',
    'slit',
    'Secrets that are not at hand, or that the service hides.'
  ),
  look('unmanaged', 'U', 'unmanaged', 'dot', 'Live, and declared nowhere.'),
  look('applied', 'A', 'applied', 'third', 'Sent, and read back as declared.'),
  look('unchanged', 'E', 'as desired already', 'low', 'Nothing had to be sent.'),
  look('sync', '=', 'in sync', 'low', 'Live is as declared.')
]

function look(
  status: CellStatus,
  letter: string,
  label: string,
  shape: Shape,
  means: string
): StatusLook {
  return { status, letter, label, shape, means }
}

const byStatus = new Map(looks.map(each => [each.status, each]))
const ranks = new Map(looks.map(({ status }, rank) => [status, rank]))

export function lookOf(status: CellStatus): StatusLook {
  const found = byStatus.get(status)
  if (found === undefined) throw new Error(`no such status: ${status}`)
  return found
}

/** 0 for the worst. */
export function rankOf(status: CellStatus): number {
  return ranks.get(status) ?? looks.length
}

/** True for what is as it should be. */
export function isFine(status: CellStatus): boolean {
  return rankOf(status) >= rankOf('applied')
}
