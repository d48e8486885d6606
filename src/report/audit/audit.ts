import type { Audit } from '../../model/audit.ts'
import { auditHtml } from '../html/audit.ts'
import type { FormatName, RenderOptions } from '../report.ts'
import { auditJson } from './json.ts'
import { auditMarkdown, auditSummary } from './markdown.ts'
import { auditText } from './text.ts'

/** The formats of an audit by name. */
export const auditFormats = {
  text: auditText,
  json: auditJson,
  markdown: auditMarkdown,
  summary: auditSummary,
  html: auditHtml
} as const satisfies Partial<Record<FormatName, (audit: Audit, options: RenderOptions) => string>>

export function isAuditFormat(name: FormatName): name is keyof typeof auditFormats {
  return Object.hasOwn(auditFormats, name)
}
