import type { History } from '../../model/history.ts'
import { escapeJson } from '../escape.ts'

/** A history as JSON for programs. */
export function historyJson({ baseUrl, points, sites, fields, findings }: History): string {
  const data = {
    format: 'wlanctl-history/1',
    ...(baseUrl === undefined ? {} : { base_url: baseUrl }),
    reports: points,
    sites: sites.map(({ name, ...tale }) => ({ site: name, ...tale })),
    fields: fields.map(({ name, ...tale }) => ({ pointer: name, ...tale })),
    ...(findings.length === 0 ? {} : { findings })
  }
  return `${escapeJson(JSON.stringify(data, null, 2))}\n`
}
