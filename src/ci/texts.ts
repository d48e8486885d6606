import { verdictOf } from './command.ts'
import type { Forge } from './forge.ts'

/** Characters that the forge may add to a body, such as the line of its topic. */
const RESERVE = 500

/** A text that the forge accepts: of a longer one only its heading, because the page of the run has all of it. */
export function shortened(text: string, { maxBody, run }: Pick<Forge, 'maxBody' | 'run'>): string {
  if (text.length <= maxBody - RESERVE) return text
  return `### ${verdictOf(text)}\n\nThe report is too long for a comment: [the run](${run.url}) has it.\n`
}
