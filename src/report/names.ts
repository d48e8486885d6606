/** The names of the formats; `formats.ts` has what is behind each of them, and loads more. */
export const formatNames = [
  'text',
  'json',
  'markdown',
  'summary',
  'html',
  'github',
  'prometheus',
  'junit'
] as const

export type FormatName = (typeof formatNames)[number]
