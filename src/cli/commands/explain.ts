import { type Command, Option } from 'commander'
import { explain, explainRules, nearestTopic } from '../../lint/explain.ts'
import type { Explanation } from '../../model/explanation.ts'
import { type ExitCode, exit, Failure } from '../../model/failure.ts'
import { quote } from '../../model/text.ts'
import { explanationJson, explanationText } from '../../report/command-results.ts'
import type { Context } from '../context.ts'
import { type Io, write } from '../io.ts'
import { addExample, addGroup, groups, type ReportOptions, textOrJsonOption } from '../options.ts'
import { renderOptionsFor } from '../output.ts'

type Options = Pick<ReportOptions, 'format' | 'color'>

export function define(command: Command, { io, ends }: Context): void {
  command.argument('[topic]', 'a lint rule such as short-psk, or a field such as auth.psk')
  addGroup(
    command,
    groups.output,
    textOrJsonOption(),
    new Option('--no-color', 'no colour, even on a terminal')
  ).action(
    ends((topic: string | undefined, options: Options) =>
      printExplanation(explanationOf(topic), options, io)
    )
  )
  command.addHelpText('after', '\nWithout a topic, all lint rules.')
  addExample(command, 'wlanctl explain auth.psk')
}

/** Throws a `Failure` (exit 3) with the nearest topic for an unknown one. */
function explanationOf(topic: string | undefined): Explanation {
  if (topic === undefined) return { kind: 'rules', rules: explainRules() }
  const explanation = explain(topic)
  if (explanation !== undefined) return explanation
  const near = nearestTopic(topic)
  throw new Failure(
    exit.wrongInput,
    `expected a lint rule or a field, got ${quote(topic)}`,
    near === undefined
      ? 'list the rules with `wlanctl explain`; schemas/README.md lists the fields'
      : `did you mean ${quote(near)}?`
  )
}

async function printExplanation(
  explanation: Explanation,
  options: Options,
  io: Io
): Promise<ExitCode> {
  const text =
    options.format === 'json'
      ? explanationJson(explanation)
      : explanationText(explanation, renderOptionsFor(io.stdout, options, io))
  await write(io, text)
  return exit.done
}
