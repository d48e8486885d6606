import { type Answer, refusal } from './answers.ts'

/** The service's page where nothing else is asked, and the most that may be asked. */
export const DEFAULT_PAGE = 100
const LARGEST_PAGE = 1000

/** The part of a list that a request asks for. */
export interface Page<T> {
  readonly items: readonly T[]
  readonly headers: Answer['headers']
}

/**
 * Cuts a list as the service does: `page` counts from 1, `limit` goes up to 1,000 and larger ones
 * are taken as 1,000. The `X-Page-*` headers are there where a page was asked for or where the list
 * is longer than one; a page beyond the end is empty. A number that is none is a 400.
 */
export function pageOf<T>(
  list: readonly T[],
  query: URLSearchParams,
  pageSize: number
): Page<T> | Answer {
  const page = wholeNumber(query.get('page') ?? '1')
  const asked = wholeNumber(query.get('limit') ?? String(pageSize))
  if (page === undefined) return refusal(400, 'page must be a positive integer')
  if (asked === undefined) return refusal(400, 'limit must be a positive integer')
  const limit = Math.min(asked, LARGEST_PAGE)
  if (list.length <= limit && query.size === 0) return { items: list, headers: {} }
  return {
    items: list.slice((page - 1) * limit, page * limit),
    headers: {
      'x-page-limit': String(limit),
      'x-page-page': String(page),
      'x-page-total': String(list.length)
    }
  }
}

function wholeNumber(text: string): number | undefined {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined
}
