import type { Report } from '../report.ts'
import { documentOf } from './document.ts'
import { pageData } from './views.ts'

/** A report as a page of HTML that needs nothing else: no network, no server, no other file. */
export function html(report: Report): string {
  return documentOf(pageData(report))
}
