import type { Pointer } from '../../model/pointer.ts'
import { quote } from '../../model/text.ts'
import { describedName } from '../describe.ts'
import { type Violation, violationsOf, type WlanRule } from '../rule.ts'
import type { WlanView } from '../view.ts'

const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'].map(day => `/schedule/hours/${day}`)

/** Rules about the hours of a network. */
export const scheduleRules: readonly WlanRule[] = [
  {
    id: 'schedule-unfit',
    severity: 'error',
    view: 'D',
    given: ['/schedule/enabled'],
    fields: ['/schedule/enabled', ...days],
    message: 'the hours of the schedule are not usable',
    why: 'the network is on the air at other times than intended',
    condition:
      'the schedule is on, and an hour is not 00:00 to 23:59 (24:00 as an end), or begin equals end; a warning where the end is before the begin, or where no day has hours',
    advice: 'write hours as 08:00-20:00; split hours over midnight between two days',
    source: 'OAS `hour` (documented); TFP AtLeastNAttributes',
    falseAlarms: 'low; hours over midnight are not documented',
    check: wlan => {
      if (!wlan.on('/schedule/enabled')) return []
      const always = days.every(day => wlan.empty(day))
      return [
        ...days.flatMap(day => hourProblems(wlan, day)),
        ...violationsOf(
          always && {
            level: 'warning',
            message: 'the schedule is on and no day has hours: the network is always on',
            fields: ['/schedule/enabled'],
            subject: 'always'
          }
        )
      ]
    }
  },
  {
    id: 'schedule-not-enabled',
    severity: 'info',
    view: 'M',
    given: ['/schedule/hours'],
    fields: ['/schedule/enabled', ...days],
    message: 'the declared hours are ignored: the schedule is off',
    why: 'the network is always on',
    condition: '`schedule.hours` is declared, and `schedule.enabled` is off',
    advice: 'turn on `schedule.enabled`, or remove the hours',
    source: 'OAS `wlan_schedule`: the default is disabled (documented)',
    falseAlarms: 'low',
    check: wlan => {
      if (!wlan.off('/schedule/enabled') || !wlan.declares('/schedule/hours')) return []
      const declared = days.filter(day => wlan.declares(day))
      return violationsOf(declared.length > 0 && { fields: ['/schedule/enabled', ...declared] })
    }
  }
]

function hourProblems(wlan: WlanView, day: Pointer): readonly Violation[] {
  const hours = wlan.text(day)
  if (hours === undefined) return []
  const common = { fields: [day], subject: day }
  const [begin, end] = hours.split('-').map(minutesOf)
  const isUnfit = begin === undefined || end === undefined || begin === 24 * 60 || begin === end
  if (isUnfit) {
    const message = `expected hours such as 08:00-20:00 in \`${describedName(day)}\`, got ${quote(hours, 20)}`
    return [{ ...common, message }]
  }
  const message = 'the hours end before they begin: hours over midnight are not documented'
  return violationsOf(end < begin && { ...common, level: 'warning', message })
}

/** Minutes since midnight; undefined for a text that is no time of day. */
function minutesOf(time: string): number | undefined {
  const match = /^([01]\d|2[0-3]):([0-5]\d)$|^(24):(00)$/.exec(time.trim())
  if (match === null) return undefined
  return Number(match[1] ?? match[3]) * 60 + Number(match[2] ?? match[4])
}
