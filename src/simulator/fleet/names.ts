const places = [
  'Harbour',
  'Lakeside',
  'Northgate',
  'Old Mill',
  'Riverside',
  'Station Road',
  'Market Square',
  'Hillcrest',
  'Elm Park',
  'Castle View',
  'Airport',
  'Westfield',
  'Chapel Street',
  'Docklands',
  'Meadow Lane',
  'Kingsway',
  'Orchard',
  'Quarry Hill',
  'Saint Anne',
  'University'
] as const

const kinds = ['Hospital', 'Primary School', 'Clinic', 'High School', 'Office', 'Library'] as const

/** Of so many sites in a row all but the last are shops, as in the fleets of retailers. */
const ROW = 4

/** The name of a fleet's nth site, from 0: `Store 0042 Harbour`, `Lakeside Hospital`. No two alike. */
export function siteName(nth: number): string {
  const row = Math.floor(nth / ROW)
  if (nth % ROW < ROW - 1) {
    const number = String(nth + 1).padStart(4, '0')
    return `Store ${number} ${places[nth % places.length]}`
  }
  const place = places[row % places.length]
  const kind = kinds[Math.floor(row / places.length) % kinds.length]
  const round = Math.floor(row / (places.length * kinds.length))
  return round === 0 ? `${place} ${kind}` : `${place} ${kind} ${round + 1}`
}
