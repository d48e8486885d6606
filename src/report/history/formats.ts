import type { History } from '../../model/history.ts'
import { historyHtml } from '../html/history.ts'
import type { FormatName } from '../names.ts'
import type { RenderOptions } from '../report.ts'
import { historyJson } from './json.ts'
import { historyText } from './text.ts'

/** The formats in which a history can be told. */
export const historyFormats = {
  text: historyText,
  json: historyJson,
  html: historyHtml
} as const satisfies Partial<
  Record<FormatName, (history: History, manner: RenderOptions) => string>
>

export function isHistoryFormat(name: FormatName): name is keyof typeof historyFormats {
  return Object.hasOwn(historyFormats, name)
}
