/** Letters of other scripts, and digits, that look like a Latin letter in most fonts. */
const glyphs: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '0': 'O',
    '1': 'l',
    I: 'l',
    '|': 'l',
    А: 'A',
    В: 'B',
    Е: 'E',
    К: 'K',
    М: 'M',
    Н: 'H',
    О: 'O',
    Р: 'P',
    С: 'C',
    Т: 'T',
    Х: 'X',
    а: 'a',
    е: 'e',
    о: 'o',
    р: 'p',
    с: 'c',
    у: 'y',
    х: 'x',
    і: 'i',
    Α: 'A',
    Β: 'B',
    Ε: 'E',
    Η: 'H',
    Ι: 'l',
    Κ: 'K',
    Μ: 'M',
    Ν: 'N',
    Ο: 'O',
    Ρ: 'P',
    Τ: 'T',
    Υ: 'Y',
    Χ: 'X',
    Ζ: 'Z',
    ο: 'o',
    ν: 'v'
  })
)

/** The SSID in lower case without spaces: equal for SSIDs that people read as the same. */
export function foldCase(ssid: string): string {
  return ssid.normalize('NFKC').replace(/\s+/gu, '').toLowerCase()
}

/** The SSID with look-alike letters replaced: equal for SSIDs that people cannot distinguish. */
export function skeletonOf(ssid: string): string {
  return [...ssid.normalize('NFKC')].map(letter => glyphs.get(letter) ?? letter).join('')
}
