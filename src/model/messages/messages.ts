import { fieldMessages } from './fields.ts'
import { fileMessages } from './files.ts'
import { fleetMessages, rolloutMessages } from './fleet.ts'
import { planMessages } from './plan.ts'
import type { Messages } from './template.ts'

/**
 * The message of every finding, by code. A message states what is wrong, a hint how to fix it; neither
 * ever holds the value of a secret field. Text from outside is escaped where it is shown.
 */
export const messages = {
  ...planMessages,
  ...fileMessages,
  ...fleetMessages,
  ...rolloutMessages,
  ...fieldMessages
} as const satisfies Messages
