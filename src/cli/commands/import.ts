import { join } from 'node:path'
import { type Command, Option } from 'commander'
import { openReader, type Reader } from '../../api/client.ts'
import { readSites } from '../../api/sites.ts'
import type { RequestedSite } from '../../import/request.ts'
import { dotenv, type ImportedSecret } from '../../import/secrets.ts'
import { type ImportedSite, importSite } from '../../import/site.ts'
import { Turns } from '../../import/turns.ts'
import { type ExitCode, exit } from '../../model/failure.ts'
import { type Finding, finding } from '../../model/finding.ts'
import type { UnreadSite } from '../../model/live.ts'
import { plural } from '../../model/text.ts'
import { escapeText } from '../../report/escape.ts'
import type { Imported } from '../../report/report.ts'
import { connectionOf } from '../connection.ts'
import { writeFileAtomic } from '../files/files.ts'
import { type Destination, layeredFiles, ownFiles, type Written } from '../import-files.ts'
import { requestedSites } from '../import-request.ts'
import { type Io, writeLine } from '../io.ts'
import {
  addExample,
  addReportOptions,
  addSecretPrefix,
  addServiceOptions,
  type ReportOptions,
  type SecretFlags,
  type ServiceOptions
} from '../options.ts'
import { writeReport } from '../output.ts'
import { pauseUntil } from '../pause.ts'
import type { Context } from '../program.ts'
import { startProgress } from '../progress.ts'
import { printEstimate, printRequestSummary } from '../request-summary.ts'

interface Options extends ServiceOptions, ReportOptions, Pick<SecretFlags, 'secretPrefix'> {
  readonly from?: string
  readonly out: string
  readonly allFields?: true
  readonly factor?: true
  readonly secretsOut?: string
  readonly force?: true
}

export function define(command: Command, { io, ends }: Context): void {
  command.argument('[site-id...]', 'the sites to read')
  addReportOptions(addServiceOptions(addSecretPrefix(command)))
    .addOption(
      new Option('--from <file>', 'a file with the id and the name of a site on each line')
    )
    .addOption(new Option('--out <dir>', 'where the files go, one for each site').default('sites'))
    .addOption(new Option('--all-fields', 'also what is empty, or the documented default'))
    .addOption(
      new Option(
        '--factor',
        'put what the sites have in common into profiles, and the rest into variables'
      )
    )
    .addOption(
      new Option('--secrets-out <file>', 'write the secrets themselves, to move them into a vault')
    )
    .addOption(new Option('--force', 'replace files that are there already'))
    .action(ends((ids: string[], options: Options) => importSites(ids, options, io)))
  addExample(
    command,
    'wlanctl import 4ac1dcf4-9d8b-4211-95c4-057819f0862b --secrets-out secrets.env'
  )
}

/** Live → YAML: one list request for each site; a plan right after it is empty. */
async function importSites(ids: readonly string[], options: Options, io: Io): Promise<ExitCode> {
  const requested = await requestedSites(ids, options, io.cwd)
  const target = { ...options, cwd: io.cwd }
  const destination = await (options.factor
    ? layeredFiles(target, pauseUntil(io.interrupted))
    : ownFiles(requested, target))
  const { written, ...asked } = await readAndWrite(requested, destination, options, io).catch(
    async error => {
      await tellWritten(await destination.abandon(), options, io)
      throw error
    }
  )
  const { sites, unread } = asked
  const { files, secrets, findings, ...layers } = written
  const imported: Imported = {
    sites: requested.length,
    sites_failed: unread.length,
    wlans: files.reduce((sum, { wlans }) => sum + wlans, 0),
    requests: asked.requests,
    files: files.map(file => ({ ...file, file: join(options.out, file.file) })),
    secrets: secrets.map(shownSecret),
    ...layers
  }
  const all = [...findingsOf(sites, unread, secrets), ...findings]
  await writeReport({ kind: 'findings', findings: all, imported }, options, io)
  await printRequestSummary({ ...imported, rest: 'in parts' }, options, io, asked)
  return unread.length > 0 ? exit.incomplete : exit.done
}

/** Where no site was read there is nothing to write, and no secrets of an earlier run are replaced. */
async function readAndWrite(
  requested: readonly RequestedSite[],
  destination: Destination,
  options: Options,
  io: Io
): Promise<Read & { readonly written: Written }> {
  const { secretsOut } = options
  const asked = await read(requested, destination, options, io)
  const written = await destination.end()
  if (secretsOut !== undefined && written.files.length > 0) {
    await writeFileAtomic(secretsOut, dotenv(written.secrets), io.cwd)
  }
  return { ...asked, written }
}

/** Files of an import that did not get to its end are no fleet yet, and in the way of the next one. */
async function tellWritten(files: number, { out }: Options, io: Io): Promise<void> {
  if (files === 0) return
  const written = `${plural(files, 'file')} in ${escapeText(out)} ${files === 1 ? 'is' : 'are'} written`
  await writeLine(io, `wlanctl: ${written}, and no secret; begin again with --force`)
}

interface Read {
  readonly sites: readonly Pick<ImportedSite, 'findings'>[]
  readonly unread: readonly UnreadSite[]
  readonly requests: number
  /** Why not all of them were asked for, if that is so. */
  readonly end: Reader['end']
}

/** Reads each site with one list request, and declares it as soon as those before it are. */
async function read(
  requested: readonly RequestedSite[],
  { take }: Destination,
  options: Options,
  io: Io
): Promise<Read> {
  const reader = openReader(await connectionOf(options, io, io.interrupted))
  await printEstimate(requested.length, options, io)
  const progress = startProgress(
    { doing: 'reading sites', total: requested.length, reader, answered: () => reader.listed },
    options,
    io
  )
  const allFields = options.allFields === true
  const turns = new Turns(requested, take)
  try {
    const asked = requested.map(({ id, name }) => ({ id, name, wlans: [] }))
    const read = await readSites(reader, asked, options.parallelism, (site, live) => {
      const imported = 'wlans' in live ? importSite(live, { allFields }) : undefined
      const wlans = imported && plural(imported.wlans.length, 'WLAN')
      progress.step(`${site.name}: ${wlans === undefined ? 'not read' : `${wlans} read`}`)
      turns.settle(site.id, imported)
      return imported === undefined ? (live as UnreadSite) : { findings: imported.findings }
    })
    return {
      sites: read.flatMap(site => ('findings' in site ? [site] : [])),
      unread: read.flatMap(site => ('findings' in site ? [] : [site])),
      requests: reader.requests,
      end: reader.end
    }
  } finally {
    progress.end()
    await reader.close()
  }
}

function shownSecret({ name, address, pointer, secret }: ImportedSecret): Imported['secrets'][0] {
  return { name, address, pointer, ...(secret.known ? {} : { hidden: true }) }
}

function findingsOf(
  sites: Read['sites'],
  unread: readonly UnreadSite[],
  secrets: readonly ImportedSecret[]
): Finding[] {
  const hidden = secrets.filter(({ secret }) => !secret.known).length
  return [
    ...unread.map(({ site, reason, hint }) =>
      finding('SITE_NOT_READ', { address: site.name }, reason, hint)
    ),
    ...sites.flatMap(({ findings }) => findings),
    ...(hidden === 0 ? [] : [finding('IMPORT_SECRET_HIDDEN', {}, hidden, secrets.length)])
  ]
}
