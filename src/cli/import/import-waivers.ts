import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { flowText } from '../../author/yaml-edit/write.ts'
import type { ImportSummary } from '../../report/report.ts'
import type { WaiverEntry } from '../../run/checks/live-waivers.ts'
import { declaresPolicy } from '../files/declared-sites.ts'
import { isPresent, writeFileAtomic } from '../files/files.ts'

interface Target {
  readonly out: string
  readonly cwd: string
  /** A file that ends with the policy of the fleet, written by the same run. */
  readonly policyFile?: string | undefined
}

const COMMENT =
  '  # Lint errors of networks that were live when imported. Repair the networks, and remove their waivers.'

/** Adds the waivers to the policy of a new fleet. Another policy stays as it is: the report lists the entries. */
export async function addWaivers(
  waivers: readonly WaiverEntry[],
  target: Target
): Promise<Pick<ImportSummary, 'waivers'>> {
  if (waivers.length === 0) return {}
  const entries = waivers.map(waiver => flowText({ ...waiver }))
  const lines = [COMMENT, '  waivers:', ...entries.map(entry => `    - ${entry}`), '']
  const file = target.policyFile ?? (await newPolicy(target))
  if (file === undefined) return { waivers: { entries } }
  const { cwd } = target
  const before =
    target.policyFile === undefined ? 'policy:\n' : await readFile(resolve(cwd, file), 'utf8')
  await writeFileAtomic(file, before + lines.join('\n'), cwd, 0o644)
  return { waivers: { entries, file } }
}

/** The file for the policy of a fleet without one. */
async function newPolicy(target: Target): Promise<string | undefined> {
  const file = join(target.out, 'policy.yaml')
  const isTaken = (await isPresent(file, target.cwd)) || (await declaresPolicy(target))
  return isTaken ? undefined : file
}
