import { type Finding, type FindingCode, finding } from '../../../src/core/model/finding.ts'
import { fixes, samples } from '../finding-samples.ts'
import { head, links, sentence } from './markdown.ts'

const codes = (Object.keys(samples) as FindingCode[]).sort()

/** `schemas/findings.md`: the codes of findings. */
export function findingsPage(): string {
  const byLevel = (level: Finding['level']) =>
    links(codes.filter(each => sampleOf(each).level === level))
  return `${head(
    'Findings',
    'the messages in `src/core/model/messages/`',
    'What a run may say, by its code: each with a sample of the message, as a terminal shows it, and its fix. Findings of the linter are on the page of the [rules](rules.md).'
  )}
**Errors:** ${byLevel('error')}

**Warnings:** ${byLevel('warning')}

${codes.map(section).join('\n\n')}
`
}

function sampleOf(code: FindingCode): Finding {
  const make = finding as (code: FindingCode, where: object, ...details: unknown[]) => Finding
  return make(code, { file: 'sites/hq.yaml', line: 12, column: 5 }, ...samples[code][0])
}

/** The message with its hint, which is the fix where `fixes` has no other. */
function section(code: FindingCode): string {
  const { level, message, hint } = sampleOf(code)
  const fix = fixes[code]
  if (fix === undefined && hint === undefined)
    throw new Error(`${code} has no hint: it needs a fix in finding-samples.ts`)
  const shown = [`${level}: ${message}`, ...(hint === undefined ? [] : [`  ${hint}`])]
  const below = fix === undefined ? '' : `\n\n**Fix:** ${sentence(fix)}`
  return `## ${code}\n\n\`\`\`text\n${shown.join('\n')}\n\`\`\`${below}`
}
