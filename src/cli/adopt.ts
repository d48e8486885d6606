import { type Command, InvalidArgumentError, Option } from 'commander'
import { adopt as adoptLive } from '../adopt/adopt.ts'
import { differingNowhere } from '../adopt/want.ts'
import { openReader } from '../api/client.ts'
import { limits } from '../config/checks/limits.ts'
import { type ReadFile, readAgain } from '../config/written.ts'
import type { Adoption, EditedFile } from '../model/adoption.ts'
import { spliced } from '../model/edit.ts'
import { type ExitCode, exit, Failure } from '../model/failure.ts'
import { count } from '../model/identity.ts'
import type { Plan } from '../model/plan.ts'
import { adoptionJson, adoptionText } from '../report/adoption.ts'
import { escapeText } from '../report/escape.ts'
import { readRegularFile } from '../secrets/regular-file.ts'
import { confirm } from './carrying-out/confirm.ts'
import { requireTerminal } from './carrying-out/refuse.ts'
import { checkTarget, writeWhole } from './files/files.ts'
import { type Io, say, write } from './io.ts'
import type { Context } from './program.ts'
import { connectionOf } from './reading/connection.ts'
import { type Derived, derive, desire, sourceOf } from './reading/derive.ts'
import { tellEnd } from './telling/calls.ts'
import { mannerOf, tellAside } from './telling/output.ts'
import {
  addExample,
  addFleetOptions,
  addOwnFormat,
  addSecretOptions,
  addServiceOptions,
  append,
  type PlanningOptions
} from './words/options.ts'

interface Options extends PlanningOptions {
  readonly field: readonly string[]
  readonly layer: 'own' | 'profile'
  readonly yes?: true
}

const NOTHING_WRITTEN = 'nothing was written'

export function define(command: Command, { io, ends }: Context): void {
  addOwnFormat(addServiceOptions(addSecretOptions(addFleetOptions(command))))
    .addOption(
      new Option('--field <pointer>', 'only this field, e.g. /auth/type; repeatable')
        .argParser(pointer)
        .default([], 'all')
    )
    .addOption(
      new Option(
        '--layer <layer>',
        "where: `own` is nobody else's, `profile` is where the value is declared"
      )
        .choices(['own', 'profile'])
        .default('own')
    )
    .addOption(new Option('--yes', 'do not ask; needed where there is no terminal'))
    .action(ends((fleet: string, options: Options) => adopt(fleet, { ...options, report: [] }, io)))
  addExample(command, 'wlanctl adopt examples/quickstart --field /vlan_id --yes')
}

/** The other answer to drift: the files say what is live. Secrets are never adopted. */
async function adopt(fleet: string, options: Options, io: Io): Promise<ExitCode> {
  if (!options.yes) requireTerminal(io, 'adopt', NOTHING_WRITTEN)
  const { plan, changes } = await readLive(fleet, options, io)
  const files = await readAgain(fleet, io.cwd)
  const adoption = await adoptLive({
    changes,
    sources: files.map(({ source }) => source),
    fields: options.field,
    shared: options.layer === 'profile',
    secrets: sourceOf(options, io).checking
  })
  if (!options.quiet) await tellUnmet(differingNowhere(changes, options.field), io)
  await show(adoption, plan, options, io)
  if (adoption.files.length > 0) {
    if (!options.yes) await confirm(consentFor(adoption), io)
    await writeAll(adoption.files, files, io)
  }
  const { blocked, sites_failed } = plan.summary
  const complete = adoption.left.length + blocked + sites_failed === 0
  return complete ? exit.done : exit.incomplete
}

async function readLive(fleet: string, options: Options, io: Io): Promise<Derived> {
  const desired = await desire(fleet, options, io)
  const reader = openReader(await connectionOf(options, io, io.interrupted, desired))
  try {
    const derived = await derive(desired, reader, options, io)
    await tellEnd({ ...derived.plan.summary, rest: 'by shards' }, options, io, reader)
    return derived
  } finally {
    await reader.close()
  }
}

/** A named field that differs nowhere is often a slip of the pen. */
async function tellUnmet(fields: readonly string[], io: Io): Promise<void> {
  if (fields.length === 0) return
  const named = fields.map(escapeText).join(', ')
  await say(io, `wlanctl: no WLAN that was read differs in ${named}`)
}

async function show(adoption: Adoption, plan: Plan, options: Options, io: Io): Promise<void> {
  const { findings } = plan
  if (findings.length > 0) await tellAside({ kind: 'findings', findings }, options, io)
  const manner = mannerOf(io.stdout, options, io)
  const json = options.format === 'json'
  await write(io, json ? adoptionJson(adoption) : adoptionText(adoption, manner))
}

function consentFor({ files }: Adoption) {
  const these = files.length === 1 ? 'this file' : `these ${count(files.length, 'file')}`
  return { question: `Write ${these}?`, done: 'adopted', refused: NOTHING_WRITTEN }
}

/** Writes each file as a whole, if all of them are still as they were read. */
async function writeAll(
  edited: readonly EditedFile[],
  files: readonly ReadFile[],
  { cwd }: Pick<Io, 'cwd'>
): Promise<void> {
  const paths = new Map(files.map(({ file, source }) => [source.file, file.path]))
  const texts: (readonly [path: string, text: string, mode: number])[] = []
  for (const { file, before, edits } of edited) {
    const path = paths.get(file) ?? file
    await checkTarget(path, cwd)
    const reading = readRegularFile(path, { most: limits.bytes, links: false })
    if (!('bytes' in reading)) throw changedMeanwhile(file)
    const text = reading.bytes.toString('utf8')
    const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : ''
    if (text !== mark + before) throw changedMeanwhile(file)
    texts.push([path, mark + spliced(before, edits), reading.mode & 0o777])
  }
  for (const [path, text, mode] of texts) await writeWhole(path, text, cwd, mode)
}

const BYTE_ORDER_MARK = '\ufeff'

function changedMeanwhile(file: string): Failure {
  return new Failure(
    exit.refused,
    `${file} changed on disk meanwhile; ${NOTHING_WRITTEN}`,
    'run the command again'
  )
}

function pointer(text: string, earlier: readonly string[]): readonly string[] {
  if (/^(?:\/(?:[^~/]|~[01])+)+$/.test(text)) return append(text, earlier)
  throw new InvalidArgumentError('It must be a JSON Pointer, e.g. /auth/type.')
}
