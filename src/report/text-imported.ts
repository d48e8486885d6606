import { count } from '../model/identity.ts'
import { steps } from '../model/pointer.ts'
import { escapeText } from './escape.ts'
import { table } from './layout.ts'
import type { Imported } from './report.ts'
import type { Style } from './style.ts'

/** The files that an import wrote, and the variables that they refer to. */
export function importedBlocks({ files, secrets }: Imported, style: Style): string[] {
  return [
    ...(files.length === 0 ? [] : [section('Written', files.length, filesTable(files), style)]),
    ...(secrets.length === 0
      ? []
      : [section('Secrets that the files refer to', secrets.length, secretsTable(secrets), style)])
  ]
}

/** What an import comes to, in one line. */
export function importedVerdict(imported: Imported, style: Style): string {
  const { sites, sites_failed, wlans, secrets, requests } = imported
  const sum = `${count(wlans, 'WLAN')} on ${count(sites - sites_failed, 'site')}`
  const beside = `${count(secrets.length, 'secret')}; ${count(requests, 'request')}`
  const text = `Import: ${sum}, ${beside}`
  if (sites_failed === 0) return style.good(text)
  return text + style.warn(`; incomplete: ${count(sites_failed, 'site')} not read`)
}

function section(title: string, n: number, lines: readonly string[], style: Style): string {
  return [style.strong(`${title} (${n})`), ...lines, ''].join('\n')
}

function filesTable(files: Imported['files']): string[] {
  return table(
    files.map(({ file }) => escapeText(file)),
    files.map(({ wlans }) => count(wlans, 'WLAN'))
  )
}

function secretsTable(secrets: Imported['secrets']): string[] {
  return table(
    secrets.map(({ name }) => escapeText(name)),
    secrets.map(({ address }) => escapeText(address)),
    secrets.map(({ pointer, hidden }) => {
      const path = escapeText(steps(pointer).join('.'))
      return hidden ? `${path} (not shown by the service)` : path
    })
  )
}
