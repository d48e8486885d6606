import { listFirst, plural, quote } from '../../values/text.ts'
import type { Messages } from './template.ts'

const timeForms = {
  'a date': 'write it like `2027-01-31`',
  'a date and time':
    'write it like `2026-12-04T18:00` for the time zone of the site, or with an offset: `2026-12-04T18:00+01:00`; or a whole day: `2026-12-04`',
  'a time of day': 'write hours and minutes in quotes, like "22:00"'
}

export const rolloutMessages = {
  WAVE_KEYS: (keys: readonly string[]) => ({
    message:
      keys.length === 0
        ? 'the wave has no name'
        : `expected one key, the name of the wave, got ${keys.length}: ${listFirst(
            keys.map(key => quote(key)),
            3
          )}`,
    hint: 'start each wave with a dash: `- canary: hq`'
  }),
  WAVE_PERCENT: () => ({
    message: 'expected a whole percentage of sites, `1%` to `100%`, and no globs with it',
    hint: 'write it like `50%`'
  }),
  WAVE_SHRINKS: (percent: number, before: number) => ({
    message: `expected more than the ${before}% of the waves before, got ${percent}%`,
    hint: 'percentages are of all sites, and include the waves before'
  }),
  WAVE_WITHOUT_SITES: () => ({
    message: 'the wave is empty',
    hint: 'name its sites by a glob, or give a percentage of all sites'
  }),
  WAVE_FITS_NO_SITE: (glob: string, near: string | undefined) => ({
    message: `no site of the fleet matches ${quote(glob)}`,
    hint:
      near === undefined
        ? 'a wave needs its sites: correct or remove the glob'
        : `did you mean ${quote(near)}?`
  }),
  WAVE_EMPTY: (name: string) => ({
    level: 'warning',
    message: `no site is left for the wave ${quote(name)}`,
    hint: 'a site belongs to the first wave that matches it'
  }),
  GLOBS_TOO_LARGE: () => ({
    message: 'matching the sites with all globs of `waivers` takes too long',
    hint: 'use fewer or shorter globs'
  })
} as const satisfies Messages

export const timeMessages = {
  TIME_INVALID: (expected: keyof typeof timeForms, got: string) => ({
    message: `expected ${expected}, got ${quote(got)}`,
    hint: timeForms[expected]
  }),
  TIME_ORDER: (from: string, until: string) => ({
    message: `expected an end after ${quote(from)}, got ${quote(until)}`
  }),
  WINDOW_EMPTY: (name: string) => ({
    message: `the window ${quote(name)} ends when it begins`,
    hint: 'for a whole day, write `from: "00:00"` and `until: "24:00"`'
  }),
  TIMEZONE_MISSING: (sites: readonly string[]) => ({
    message: `windows and freezes need the time zone of each site, and ${plural(sites.length, 'site')} ${sites.length === 1 ? 'has' : 'have'} none: ${listFirst(sites, 3)}`,
    hint: 'set `policy.timezone`, or the variable of the site, such as `vars: { timezone: Europe/Berlin }`'
  }),
  TIMEZONE_UNKNOWN: (name: string | undefined) => ({
    message: `expected an IANA time zone, got ${name === undefined ? 'no text' : quote(name)}`,
    hint: 'use a name such as `Europe/Berlin`'
  })
} as const satisfies Messages
