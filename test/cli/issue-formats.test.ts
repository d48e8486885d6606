import { expect, it } from 'vitest'
import { stage } from '../support/stage.ts'

it('drift reports each drifted WLAN for code scanning and for GitLab, at the line of its value', async () => {
  const made = await stage()
  const line = 'drift fleet --format sarif --report codequality=quality.json'
  const { code, stdout } = await made.run(line)
  expect(code).toBe(2)
  const { results, invocations } = JSON.parse(stdout).runs[0]
  expect(results.length).toBeGreaterThan(0)
  const [{ toolExecutionNotifications: notes }] = invocations
  const all = JSON.parse(made.read('quality.json'))
  expect(all).toHaveLength(results.length + notes.length)
  const issues = all.filter(
    ({ location }: { location: { path: string } }) => location.path !== 'fleet'
  )
  expect(issues).toHaveLength(results.length)
  for (const [at, { location, check_name }] of issues.entries()) {
    const place = results[at].locations[0].physicalLocation
    expect({ file: location.path, line: location.lines.begin, rule: check_name }).toEqual({
      file: place.artifactLocation.uri,
      line: place.region.startLine,
      rule: results[at].ruleId
    })
    const { [location.lines.begin - 1]: declared = '' } = made.read(location.path).split('\n')
    // A finding of the linter about a field that no file declares stands at its WLAN.
    expect(declared).toMatch(check_name === 'DRIFT' ? /^ {2,}[\w-]+: \S/ : /^ {2,}[\w-]+:/)
  }
})
