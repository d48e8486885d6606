import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Desired } from '../../src/core/model/desired.ts'
import type { Finding } from '../../src/core/model/finding.ts'
import { type LoadOptions, loadFleet } from '../../src/fleet/load.ts'
import { HQ as SITE_ID } from '../support/ids.ts'

/** The start of a file that declares the site `hq`; five lines. */
export const HQ = `site:
  id: ${SITE_ID}
  name: hq
  vars: { vlan: 40, store: 7, bands: ["24", "5"], nothing: ~ }
wlans:
`

/** A file that declares the same site without WLANs. */
export const HQ_ALONE = HQ.replace('wlans:\n', '')

/** A fleet on disk, removed after the test. */
export function fleetOf(files: Readonly<Record<string, string | Buffer>>): string {
  const directory = temporaryDirectory()
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true })
    writeFileSync(join(directory, name), content)
  }
  return directory
}

export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'wlanctl-test-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

export function load(
  files: Readonly<Record<string, string | Buffer>>,
  options: Partial<LoadOptions> = {}
) {
  return loadFleet({ directory: '.', cwd: fleetOf(files), ...options })
}

/** The declarations of a valid fleet; throws with the findings of an invalid one. */
export async function loaded(
  files: Readonly<Record<string, string>>,
  options: Partial<LoadOptions> = {}
): Promise<Desired> {
  const { desired, findings } = await load(files, options)
  if (desired === undefined) throw new Error(lines(findings).join('\n'))
  return desired
}

/** The fields of the WLAN `w` of the first site. */
export async function fieldsOf(wlan: string, more: Readonly<Record<string, string>> = {}) {
  const desired = await loaded({ 'hq.yaml': `${HQ}  w:\n${indent(wlan)}`, ...more })
  return desired.sites[0]?.wlans.find(({ key }) => key === 'w')?.fields
}

/** Findings without their messages: `hq.yaml:3:5 CODE path`, with a `?` after the code of a warning. */
export function lines(findings: readonly Finding[]): string[] {
  return findings.map(({ place, code, path, level }) => {
    const where = place === undefined ? '-' : `${place.file}:${place.line}:${place.column}`
    return [where, code + (level === 'warning' ? '?' : ''), ...(path ? [path] : [])].join(' ')
  })
}

export function indent(text: string): string {
  return text.replace(/^(?=.)/gm, '    ')
}
