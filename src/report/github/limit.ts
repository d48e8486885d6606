import { plural } from '../../model/text.ts'
import { type Annotation, annotationCommand, type Level } from './command.ts'

/** GitHub shows so many annotations of a level for each step, and drops the others without a word. */
const SHOWN = 10

const levels: readonly Level[] = ['error', 'warning', 'notice']

/** The annotations, of each level the first ones; where there are more, the last one counts them. */
export function annotationLines(annotations: readonly Annotation[]): string {
  return levels
    .flatMap(level => limited(annotations.filter(annotation => annotation.level === level)))
    .map(annotationCommand)
    .join('')
}

function limited(annotations: readonly Annotation[]): readonly Annotation[] {
  const [first] = annotations
  if (first === undefined || annotations.length <= SHOWN) return annotations
  const shown = annotations.slice(0, SHOWN - 1)
  const rest = plural(annotations.length - shown.length, `more ${first.level}`)
  const last = { level: first.level, title: rest, lines: ['the log of this step has all of them'] }
  return [...shown, last]
}
