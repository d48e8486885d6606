import { join } from 'node:path'
import { build } from 'rolldown'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../support/program.ts'
import { filesIn, read } from './fake/workflow.ts'

type Parse = (
  file: { readonly name: string; readonly content: string },
  trace: object
) => { readonly context: { readonly errors: { getErrors(): { readonly message: string }[] } } }

/** GitHub's own parser with its schemas. It is bundled, as Node 20 cannot import its JSON. */
interface Parser {
  readonly parseWorkflow: Parse
  readonly parseAction: Parse
  readonly NoOperationTraceWriter: new () => object
}

async function loadParser(): Promise<Parser> {
  const parser = '@actions/workflow-parser'
  const dir = join(ROOT, 'build/workflow-parser')
  const input = { workflows: parser, actions: `${parser}/actions/action-parser` }
  await build({ cwd: ROOT, input, platform: 'node', logLevel: 'silent', output: { dir } })
  return { ...(await import(`${dir}/workflows.js`)), ...(await import(`${dir}/actions.js`)) }
}

const { parseWorkflow, parseAction, NoOperationTraceWriter } = await loadParser()

function wrongWith(parse: Parse, name: string, content: string): string[] {
  const { context } = parse({ name, content }, new NoOperationTraceWriter())
  return context.errors.getErrors().map(({ message }) => message)
}

describe('the schema', () => {
  it.each([
    ...filesIn('.github/workflows', /\.yml$/),
    ...filesIn('examples/github/.github/workflows', /\.yml$/),
    ...filesIn('examples/elsewhere/.github', /\.yml$/)
  ])('%s is a workflow', file => {
    expect(wrongWith(parseWorkflow, file, read(file))).toEqual([])
  })

  it.each(filesIn('.github/actions', /action\.yml$/))('%s is an action', file => {
    expect(wrongWith(parseAction, file, read(file))).toEqual([])
  })

  it('detects a mistake in either', () => {
    const workflow = read('.github/workflows/plan.yml').replace('timeout-minutes', 'timeout-minute')
    expect(wrongWith(parseWorkflow, 'plan.yml', workflow)).not.toEqual([])
    const action = read('.github/actions/wlanctl/action.yml').replace('shell: bash', 'shel: bash')
    expect(wrongWith(parseAction, 'action.yml', action)).not.toEqual([])
  })
})
