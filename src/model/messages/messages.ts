import { fieldMessages } from './fields.ts'
import { fileMessages } from './files.ts'
import { fleetMessages, rolloutMessages } from './fleet.ts'
import { planMessages } from './plan.ts'
import type { Messages } from './template.ts'

/**
 * The message of every finding, by code. A message states what is wrong, a hint how to fix it; neither
 * ever holds the value of a secret field. Text from outside is escaped where it is shown.
 */
export const messages = /* @__PURE__ */ mergeMessages() satisfies Messages

// A call that is marked as pure: bundles without findings, as the script of the HTML report, omit all messages.
function mergeMessages() {
  return {
    ...planMessages,
    ...fileMessages,
    ...fleetMessages,
    ...rolloutMessages,
    ...fieldMessages
  } as const
}
