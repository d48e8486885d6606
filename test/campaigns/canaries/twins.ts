import type { Trial } from './trial.ts'

/** Keys with other lengths than those of the fleet. */
const others = Object.fromEntries(
  ['HTML', 'JSON', 'PERCENT', 'REGEXP'].map((key, n) => [
    `WLAN_SECRET_${key}`,
    `another${'-one'.repeat(n + 4)}`
  ])
)

const lines = [
  'plan FLEET',
  'plan FLEET --format json',
  'plan FLEET --shard 1/1 --format json',
  'drift FLEET --verbose',
  'drift FLEET --format html',
  'validate FLEET'
]

/**
 * The differences in output that are caused by other secrets: they reveal something about the secrets. Times
 * are ignored.
 */
export async function differences({ run }: Trial): Promise<string[]> {
  const found: string[] = []
  for (const line of lines) {
    const [first, second] = await Promise.all([run(line), run(line, others)])
    if (first.code !== second.code || untimed(first.stdout) !== untimed(second.stdout)) {
      found.push(`${line}: stdout`)
    }
    if (first.stderr !== second.stderr) found.push(`${line}: stderr`)
  }
  return found
}

function untimed(text: string): string {
  return text.replaceAll(/\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d/g, '')
}
