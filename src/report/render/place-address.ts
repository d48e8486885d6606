import type { Location } from '../../core/model/finding.ts'

/** Longer paths are not linked, nor are paths that cannot be part of an address. */
const MAX_PATH_LENGTH = 300
const UNLINKED = /^\/|(?:^|\/)\.\.(?:\/|$)|\p{Surrogate}/u

/**
 * The address of a line of a file below `source`, the address of the working directory's files; undefined if there is none, as
 * for a place in another revision.
 *
 *     https://github.com/acme/wifi/blob/SHA/sites/hq.yaml#L12
 */
export function placeAddress(
  { file, line, revision }: Pick<Location, 'file' | 'line' | 'revision'>,
  source: string | undefined
): string | undefined {
  const isKnown = source !== undefined && revision === undefined
  if (!isKnown || file.length > MAX_PATH_LENGTH || UNLINKED.test(file)) return undefined
  const path = file.split('/').map(encodeURIComponent).join('/')
  const encoded = path.replace(/[!'()*]/g, mark => `%${mark.charCodeAt(0).toString(16)}`)
  return `${source}/${encoded}#L${line}`
}
