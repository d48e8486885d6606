import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Markdown } from '../../../src/report/render/markdown.ts'
import { gitEnv, repository } from '../../support/git.ts'
import { anyCharacter, runs } from '../../support/properties.ts'
import { stage } from '../../support/stage.ts'

const SOURCE = 'https://github.com/acme/wifi/blob/0123456789abcdef0123456789abcdef01234567'
/** A link to a place, as in a comment. */
function placeLink(
  text: string,
  place: { readonly file: string; readonly line: number; readonly revision?: string },
  source: string | undefined
): string {
  const to = { place: { column: 1, ...place } }
  return new Markdown(source).inline([{ kind: 'link', text: [{ kind: 'code', text }], to }])
}

const github = {
  ...gitEnv,
  GITHUB_SERVER_URL: 'https://github.com',
  GITHUB_REPOSITORY: 'acme/wifi',
  GITHUB_SHA: '0123456789abcdef0123456789abcdef01234567'
}

describe('a location in Markdown', () => {
  it('is a link if the URL of the files is known', () => {
    const place = { file: 'sites/hq (1).yaml', line: 12 }
    expect(placeLink('here', place, SOURCE)).toBe(
      `[\`here\`](${SOURCE}/sites/hq%20%281%29.yaml#L12)`
    )
    expect(placeLink('here', place, undefined)).toBe('`here`')
  })

  it.each([
    ['of another revision', { file: 'hq.yaml', line: 1, revision: 'HEAD^1' }],
    ['outside of the checkout', { file: '../hq.yaml', line: 1 }],
    ['with an absolute path', { file: '/hq.yaml', line: 1 }],
    ['with a name that no address can hold', { file: '\ud800.yaml', line: 1 }],
    ['with a long path', { file: 'x'.repeat(301), line: 1 }]
  ])('%s gives no link', (_, place) => {
    expect(placeLink('here', place, SOURCE)).toBe('`here`')
  })

  it('of any name adds nothing but a URL', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), file => {
        const link = placeLink('here', { file, line: 1 }, SOURCE)
        if (link === '`here`') return
        expect(link.replace(SOURCE, '')).toMatch(/^\[`here`\]\([\w./~%-]*#L1\)$/)
      }),
      runs()
    )
  })
})

describe('plan in a job on GitHub', () => {
  const line = 'plan fleet --report markdown=plan.md --report json=plan.json --format text'

  async function planned(env: Readonly<Record<string, string>>, isRepository = true) {
    const made = await stage()
    if (isRepository) repository(made.cwd)
    const { stdout } = await made.run(line, env)
    const texts = [stdout, made.read('plan.json')]
    for (const text of texts) expect(text).not.toContain('/blob/')
    return made.read('plan.md')
  }

  it('links the locations of changes to their lines', async () => {
    const text = await planned(github)
    expect(text).toMatch(
      new RegExp(`<sub>\\[\`line \\d+\`\\]\\(${SOURCE}/fleet/hq\\.yaml#L\\d+\\)`)
    )
    expect(text).toMatch(
      new RegExp(`declared in \\[\`fleet/hq\\.yaml:\\d+\`\\]\\(${SOURCE}/fleet/hq\\.yaml#L\\d+\\)`)
    )
  })

  it('links them on GitLab, too', async () => {
    const project = 'https://gitlab.example.com/acme/net/wifi'
    const env = { ...gitEnv, CI_PROJECT_URL: project, CI_COMMIT_SHA: github.GITHUB_SHA }
    expect(await planned(env)).toContain(`](${project}/-/blob/${github.GITHUB_SHA}/fleet/hq.yaml#L`)
  })

  it.each([
    ['outside of a job', { ...github, GITHUB_SHA: '' }, true],
    ['with a server that is no address', { ...github, GITHUB_SERVER_URL: 'https://x/)[y](' }, true],
    ['below the root of a checkout', github, false]
  ])('adds no link %s', async (_, env, isRepository) => {
    expect(await planned(env, isRepository)).not.toMatch(/\]\(http/)
  })
})
