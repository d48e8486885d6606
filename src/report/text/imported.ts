import { formatNumber, plural } from '../../model/text.ts'
import { escapeText } from '../escape.ts'
import { table } from '../layout.ts'
import type { Imported } from '../report.ts'
import type { Style } from '../style.ts'

/** The files that an import wrote, and the variables that they refer to. */
export function importedBlocks(imported: Imported, style: Style): string[] {
  const { files, secrets, profiles = [] } = imported
  return [
    ...(profiles.length === 0
      ? []
      : [section('Profiles', profiles.length, reasons(profiles), style)]),
    ...(files.length === 0 ? [] : [section('Written', files.length, filesTable(files), style)]),
    ...(secrets.length === 0
      ? []
      : [
          section('Secrets that the files refer to', secrets.length, secrets.map(secretLine), style)
        ])
  ]
}

/** What an import comes to, in one line. */
export function importedVerdict(imported: Imported, style: Style): string {
  const { sites, sites_failed, wlans, secrets, requests } = imported
  if (sites_failed === sites) {
    const none = sites === 1 ? 'the site could not be read' : `none of ${sites} sites could be read`
    return style.bad(`Import: ${none}; nothing was written; ${plural(requests, 'request')}`)
  }
  const sum = `${plural(wlans, 'WLAN')} on ${plural(sites - sites_failed, 'site')}`
  const beside = `${plural(secrets.length, 'secret')}; ${plural(requests, 'request')}`
  const text = `Import: ${sum}, ${beside}${inLayers(imported)}`
  if (sites_failed === 0) return style.good(text)
  return text + style.warn(`; incomplete: ${plural(sites_failed, 'site')} not read`)
}

function section(title: string, n: number, lines: readonly string[], style: Style): string {
  return [style.strong(`${title} (${n})`), ...lines, ''].join('\n')
}

function inLayers({ lines }: Imported): string {
  return lines === undefined
    ? ''
    : `; ${formatNumber(lines.factored)} lines instead of ${formatNumber(lines.plain)}`
}

/** `guest: 287 WLANs share 14 fields, 3 of them otherwise; saved 3,731 lines`, and what varies. */
function reasons(profiles: NonNullable<Imported['profiles']>): string[] {
  return profiles.flatMap(({ name, wlans, fields, variables, overridden, saved }) => {
    const but = overridden === 0 ? '' : `, ${overridden} of them with something of their own`
    const varies = variables.length === 0 ? [] : [`    varies: ${variables.join(', ')}`]
    const line = `${name}: ${plural(wlans, 'WLAN')} share ${plural(fields, 'field')}${but}`
    return [`  ${escapeText(line)}; saved ${formatNumber(saved)} lines`, ...varies.map(escapeText)]
  })
}

function filesTable(files: Imported['files']): string[] {
  return table(
    files.map(({ file }) => escapeText(file)),
    files.map(({ wlans, profiles }) =>
      profiles === undefined ? plural(wlans, 'WLAN') : plural(profiles, 'profile')
    )
  )
}

/** The names say where each belongs. */
function secretLine({ name, hidden }: Imported['secrets'][0]): string {
  return `  ${escapeText(name)}${hidden ? ' (not shown by the service)' : ''}`
}
