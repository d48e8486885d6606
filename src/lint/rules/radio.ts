import { isOnBand } from '../conditions.ts'
import { violationsOf, type WlanRule } from '../rule.ts'

/** Rules about radios and beacons. */
export const radioRules: readonly WlanRule[] = [
  {
    id: 'band-steer-alone',
    severity: 'warning',
    view: 'M',
    given: ['/band_steer', '/band_steer_force_band5'],
    fields: ['/band_steer', '/band_steer_force_band5', '/bands'],
    message: 'band steering needs both 2.4 and 5 GHz',
    why: 'clients cannot be steered to a band that is off',
    condition:
      '`band_steer` is on and `bands` lacks 24 or 5; an error where `band_steer_force_band5` is on and `bands` lacks 5',
    advice: 'add the band, or turn off band steering',
    source: 'OAS `wlan.band_steer`: works only with both bands (documented)',
    falseAlarms: 'low',
    check: wlan =>
      violationsOf(
        wlan.on('/band_steer') &&
          (wlan.lacksEntry('/bands', isOnBand('24')) ||
            wlan.lacksEntry('/bands', isOnBand('5'))) && {
            fields: ['/band_steer', '/bands'],
            subject: 'steer'
          },
        wlan.on('/band_steer_force_band5') &&
          wlan.lacksEntry('/bands', isOnBand('5')) && {
            level: 'error',
            message: 'clients are forced to 5 GHz, and that band is off',
            fields: ['/band_steer_force_band5', '/bands'],
            subject: 'force'
          }
      )
  },
  {
    id: 'dtim-unfit',
    severity: 'error',
    view: 'D',
    fields: ['/dtim'],
    message: 'expected a DTIM period from 1 to 255 beacons',
    why: 'the period is one octet, and 0 is reserved; with more than 10 beacons sleeping clients miss broadcasts',
    condition: '`dtim` is not 1 to 255; a warning above 10',
    advice: 'use 1 to 10; 2 is the default',
    source: '802.11 (knowledge); HPE: range 1 to 10 (others)',
    falseAlarms: 'low',
    check: wlan => {
      const beacons = wlan.number('/dtim')
      if (beacons === undefined || (beacons >= 1 && beacons <= 10)) return []
      if (beacons < 1 || beacons > 255) return [{}]
      const message = 'sleeping clients wait long for broadcasts'
      return [{ level: 'warning', message, extent: beacons }]
    }
  }
]
