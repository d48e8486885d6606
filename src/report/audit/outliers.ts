import { type Difference, isFromSecret, type Outlier } from '../../core/model/audit.ts'
import { formatNumber, plural, quote } from '../../core/values/text.ts'
import { escapeInside } from '../escape.ts'
import { formatField, formatValue } from '../format-value.ts'

/** An outlier as data; those in the values of secrets are counted. */
export function outlierData({ sites, differences, ...outlier }: Outlier): unknown {
  return {
    ...outlier,
    count: sites.length,
    ...(isFromSecret({ differences }) ? { from_secret: true } : { sites }),
    differences: differences.map(({ usualCount, ...each }) => ({
      ...each,
      usual_count: usualCount
    }))
  }
}

/** What differs from most sites, one phrase for each field. Escaped. */
export function outlierDetails({ differences, peers }: Outlier): string[] {
  const among = peers === undefined ? '' : `, in ${escapeInside(peers)}`
  return differences.map(difference => `${differenceText(difference)}${among})`)
}

/** Without the closing parenthesis. */
function differenceText(difference: Difference): string {
  const at = formatNumber(difference.usualCount)
  const usualSites = plural(difference.usualCount, 'site')
  switch (difference.kind) {
    case 'value':
      return `${nameOf(difference)}${stateOf(difference, difference.value)} (${stateOf(difference, difference.usual)} at ${at}`
    case 'missing':
      return `missing${similarText(difference.similar)} (present at ${usualSites}`
    case 'extra':
      return `only here (not at ${usualSites}`
    case 'secret':
      return `another ${formatField(difference.field)} (one is shared by ${at}`
    case 'shared':
      return `${formatField(difference.field)} shared (${usualSites} with their own`
  }
}

type ValueDifference = Extract<Difference, { readonly kind: 'value' }>

function nameOf({ field }: ValueDifference): string {
  return field === '/enabled' ? '' : `${formatField(field)} `
}

function stateOf({ field }: ValueDifference, value: ValueDifference['value']): string {
  if (field === '/enabled') return value === false ? 'off' : 'on'
  return value === null ? 'not set' : formatValue(value)
}

function similarText(similar: string | undefined): string {
  return similar === undefined ? '' : `, but ${escapeInside(quote(similar, 40))} exists`
}
