import type { Command } from 'commander'
import { explain } from '../../lint/explain.ts'
import { type ExitCode, exit } from '../../model/failure.ts'
import { steps } from '../../model/pointer.ts'
import { worksheetJson, worksheetText } from '../../report/worksheet.ts'
import type { Context } from '../context.ts'
import {
  addDeclaredOptions,
  type DeclaredOptions,
  declaredWlans,
  loadDeclared
} from '../declared.ts'
import { type Io, writeLines } from '../io.ts'
import {
  addExample,
  addGroup,
  groups,
  noColorOption,
  type ReportOptions,
  textOrJsonOption
} from '../options.ts'
import { renderOptionsFor } from '../output.ts'

type Options = Pick<ReportOptions, 'format' | 'color'> & DeclaredOptions

export function define(command: Command, { io, ends }: Context): void {
  command.argument(
    '<address...>',
    'WLANs such as hq/guest, or globs over addresses such as "*/guest"'
  )
  addGroup(addDeclaredOptions(command), groups.output, textOrJsonOption(), noColorOption()).action(
    ends((addresses: readonly string[], options: Options) => printWorksheet(addresses, options, io))
  )
  command.addHelpText(
    'after',
    '\nwlanctl does not create WLANs: use the worksheet to create them manually. Secrets stay references.'
  )
  addExample(command, 'wlanctl worksheet hq/guest --fleet examples/quickstart')
}

/** Prints the settings of declared WLANs for manual configuration, without requests or secrets. */
async function printWorksheet(
  addresses: readonly string[],
  options: Options,
  io: Io
): Promise<ExitCode> {
  const { desired } = await loadDeclared(options, io)
  const worksheets = declaredWlans(addresses, desired).map(({ site, wlan }) => {
    return { address: wlan.address, site, fields: wlan.fields }
  })
  const text =
    options.format === 'json'
      ? worksheetJson(worksheets, describeField)
      : worksheetText(worksheets, describeField, renderOptionsFor(io.stdout, options, io))
  await writeLines(io, text)
  return exit.done
}

/** The first sentence of a field's description. */
function describeField(pointer: string): string {
  const explanation = explain(steps(pointer).join('.'))
  if (explanation?.kind !== 'field') return ''
  return /^.*?(?=[.;](?:\s|$)|$)/s.exec(explanation.field.description)?.[0] ?? ''
}
