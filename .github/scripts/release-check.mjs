// npm run release:check: lists everything that a release lacks; exit code 1 if anything is missing. See
// "Releasing" in CONTRIBUTING.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const { name, version, repository } = JSON.parse(readFileSync('package.json', 'utf8'))
const { GITHUB_REPOSITORY, TAG } = process.env

/** OWNER/NAME of a repository on GitHub, in the forms that npm accepts. */
function repositoryName() {
  const text = typeof repository === 'object' ? repository?.url : repository
  return /(?:github\.com[/:]|github:)([\w.-]+\/[\w-]+(?:\.(?!git$)[\w-]+)*?)(?:\.git)?$/.exec(
    text ?? ''
  )?.[1]
}

function isPublished() {
  try {
    execFileSync('npm', ['view', name, 'name'], { stdio: 'pipe' })
    return true
  } catch {
    return false
  }
}

const own = repositoryName()
const changelog = readFileSync('CHANGELOG.md', 'utf8')

/** The problems, each with its fix. */
const problems = [
  !own &&
    'package.json: expected "repository": "github:OWNER/NAME", got none: npm refuses provenance without it, and the actions install nothing. The owner of the project names it',
  own &&
    GITHUB_REPOSITORY &&
    own.toLowerCase() !== GITHUB_REPOSITORY.toLowerCase() &&
    `package.json: expected the repository ${GITHUB_REPOSITORY}, got ${own}: correct it, or release from there`,
  TAG &&
    TAG !== `v${version}` &&
    `package.json: expected the version of the tag ${TAG}, got ${version}`,
  !changelog.includes(`\n## [${version}]`) &&
    `CHANGELOG.md: expected a section "## [${version}]", got none: move the entries below [Unreleased] to it`,
  !isPublished() &&
    `npm: ${name} is not published, or cannot be looked up: publish the first version by hand with a token, then set up trusted publishing`
].filter(Boolean)

for (const problem of problems) process.stderr.write(`release:check: ${problem}\n`)
if (problems.length === 0) process.stdout.write(`${name} ${version} can be released from ${own}\n`)
else process.exitCode = 1
