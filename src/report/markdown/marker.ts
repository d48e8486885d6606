import { escapeInside } from '../escape.ts'

/**
 * The first line of a comment, which shows nothing: a bot finds its own comment by it, to update that
 * one instead of writing another. A repository may have several fleets; each has its own comment.
 *
 *     <!-- wlanctl:plan:fleets/retail -->
 *
 * What is wrong with the files stands where their plan would.
 * Text from outside cannot look like it: in a label nothing but letters, digits and `.~/_-` stays as
 * it is, and in spans of code no comment of HTML begins.
 */
export function marker(kind: string, fleet: string | undefined): string {
  const label = encodeURIComponent(escapeInside(fleet ?? '.'))
    .replaceAll('%2F', '/')
    .replace(/[!'()*]/g, mark => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('--', '-%2D')
  return `<!-- wlanctl:${kind}:${label} -->`
}
