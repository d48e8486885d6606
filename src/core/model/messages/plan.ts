import { fieldName, fieldNames, type Pointer } from '../../values/pointer.ts'
import { formatNumber, listFirst, plural, quote } from '../../values/text.ts'
import { type Messages, type MessageTemplate, percentOf } from './template.ts'

interface MissingWlan {
  readonly isEmptyList?: boolean
  /** The closest SSID of an unmanaged WLAN; `isLikely` if it may be the former SSID. */
  readonly near?: { readonly name: string; readonly isLikely: boolean } | undefined
}

function nearHint(near: MissingWlan['near']): string {
  const create =
    'wlanctl creates no WLANs: create the WLAN in the service with the settings that `wlanctl explain ADDRESS --as worksheet` prints, or correct the declaration'
  if (near === undefined) return create
  const name = quote(near.name)
  const rename = `to rename it, add \`$match: { ssid: ${name} }\`, or run \`plan\` and \`apply\` with \`--base REV\`, the commit before the rename; to undo a rename by hand, run \`wlanctl revert --to SNAPSHOT\``
  return near.isLikely
    ? `did you mean ${name}? T${rename.slice(1)}`
    : `the nearest unmanaged SSID is ${name}: ${rename}; otherwise, ${create}`
}

const impactTexts: Readonly<Record<string, string>> = {
  outage: 'an outage',
  reconnect: 'a reconnect',
  some: 'a partial outage',
  'guest-login': 'a guest-login interruption'
}

export type NoLongerDeclared =
  /** `live`: the live value as text, without secrets; undefined if there is none. */
  | { readonly field: Pointer; readonly live: string | undefined }
  /** `isReplaced`: the files declare another live WLAN at the same address. */
  | {
      readonly ssid: string
      readonly id: string
      readonly enabled: boolean
      readonly isReplaced: boolean
    }
  | { readonly site: string }

function noLongerDeclared(revision: string, removed: NoLongerDeclared): MessageTemplate {
  if ('field' in removed) {
    const { field, live } = removed
    const stays = live === undefined ? 'live has no value' : `the live value ${live} stays`
    return {
      message: `${fieldName(field)} is declared at ${revision} and no longer in the files: ${stays}`,
      hint: 'nothing resets it: declare the value that you want, and later changes to it are noticed'
    }
  }
  if ('site' in removed) {
    return {
      message: `the site is declared at ${revision} and no longer in the files: it is no longer read, and its WLANs stay as they are`,
      hint: 'wlanctl removes no WLANs: remove them in the service, or declare the site'
    }
  }
  const stays = removed.enabled ? 'stays on the air' : 'stays, switched off'
  const change = removed.isReplaced
    ? `the files declare another live WLAN at this address than ${revision}`
    : `the WLAN is declared at ${revision} and no longer in the files`
  return {
    message: `${change}: the live WLAN ${quote(removed.ssid)} (${removed.id}) ${stays}`,
    hint: 'wlanctl removes no WLANs: remove it in the service, or declare it'
  }
}

export const planMessages = {
  WLAN_NOT_FOUND: (
    by: 'id' | 'SSID',
    names: readonly string[],
    { isEmptyList = false, near }: MissingWlan = {}
  ) => ({
    message: `no live WLAN has the ${by} ${names.map(name => quote(name)).join(' or ')}${isEmptyList ? ': the list of the site is empty' : ''}`,
    hint: `${nearHint(near)}; or it may come from a template of the organization, whose networks are not in the list of a site`
  }),
  WLAN_AMBIGUOUS: (ssid: string, ids: readonly string[]) => ({
    message: `${ids.length} live WLANs have the SSID ${quote(ssid)}: ${ids.join(', ')}`,
    hint: 'declare the `id` of one of them'
  }),
  WLAN_CLAIMED_TWICE: (id: string, others: readonly string[]) => ({
    message: `the live WLAN ${id} is also declared by ${others.join(', ')}`,
    hint: 'declare each live WLAN once: remove a declaration, or correct its `id`'
  }),
  WLAN_INHERITED: (template: string | undefined, fields: readonly string[]) => ({
    message: `the WLAN comes from ${template === undefined ? 'the organization' : `the template ${template}`} and cannot be updated on the site (${fields.join(', ')})`,
    hint:
      template === undefined
        ? 'change it in the organization, or declare its live values'
        : 'change the template, or declare the values of the template'
  }),
  SECRET_HIDDEN: (pointers: readonly Pointer[], fields: readonly string[]) => {
    const shown = listFirst(pointers.map(fieldName), 3)
    const whole = `${fields.map(field => quote(field)).join(' and ')} must be sent as a whole`
    const [found, these, them] =
      pointers.length === 1
        ? [`the secret ${shown} in it`, 'the secret', shown]
        : [`${pointers.length} secrets: ${shown}`, 'these secrets', 'them']
    return {
      level: 'warning',
      message: `${whole}, and the service hides ${found}`,
      hint: `run \`apply\` with a token that sees ${these}, or declare ${them}`
    }
  },
  SECRET_LOST: (pointer: Pointer, field: string) => ({
    message: `${quote(field)} must be sent as a whole, and a new list element lacks the secret ${fieldName(pointer)}`,
    hint: `declare ${fieldName(pointer)}`
  }),
  SECRET_MISSING: (pointer: Pointer, field: string) => ({
    message: `${quote(field)} would be sent with a RADIUS server that has no secret: ${fieldName(pointer)}`,
    hint: `declare ${fieldName(pointer)}; only \`radsec\` and \`mist_nac\` need none`
  }),
  DOWNGRADE: (pointers: readonly Pointer[]) => ({
    level: 'warning',
    message: `less secure than the live WLAN: ${fieldNames(pointers)}`,
    hint: '`apply` refuses the change without `--allow-downgrade`'
  }),
  DOWNGRADE_REFUSED: (wlans: readonly string[], command = 'apply') => ({
    message: `the plan weakens the security of ${listFirst(wlans, 10)}`,
    hint: `to allow the downgrade: \`${command} --allow-downgrade\``
  }),
  POLICY_RELAXED: (relaxed: readonly string[]) => ({
    level: 'warning',
    message: `this change relaxes ${relaxed.join(', ')}: it holds from the next change on`,
    hint: 'this change is judged by the policy of the base as well; merge what needs the relaxed policy after it'
  }),
  NUMBER_NOT_KEPT: (field: string) => ({
    message: `${quote(field)} must be sent as a whole, and a number in it is too large to be sent exactly`,
    hint: 'change this field in the service itself'
  }),
  UNMANAGED: (ssid: string, id: string) => ({
    message: `the live WLAN ${quote(ssid)} (${id}) is not declared`,
    hint: 'declare it, or set `policy.unmanaged` to `report`'
  }),
  UNMANAGED_OPEN: (ssid: string, id: string, network: string) => ({
    message: `anybody can join the live WLAN ${quote(ssid)} (${id}), which is not declared: ${network}`,
    hint: 'switch it off, or declare it in the files'
  }),
  UNWATCHED: (fields: number, wlans: number, named: readonly string[]) => ({
    message: `${plural(fields, 'field')} on ${plural(wlans, 'WLAN')} ${fields === 1 ? 'is' : 'are'} not watched: ${named.join('; ')}${wlans > named.length ? ` and ${plural(wlans - named.length, 'other WLAN')}` : ''}`,
    hint: 'declare them with `wlanctl adopt --undeclared`, or set `policy.unwatched` to `drift`'
  }),
  UNDECLARED_CHANGED: (
    pointer: Pointer,
    before: string,
    after: string,
    created?: string,
    notAdopted?: string
  ) =>
    created === undefined
      ? {
          message: `${fieldName(pointer)} is not declared, and not at its default: ${before} → ${after}`,
          hint: `to undo the change, declare the right value and apply it; ${notAdopted === undefined ? 'to keep it: `wlanctl adopt --undeclared`' : `\`adopt\` does not declare the live one: ${notAdopted}`}`
        }
      : {
          message: `${fieldName(pointer)} is not declared, and changed since the snapshot of ${created}: ${before} → ${after}`,
          hint: 'to undo the change: `wlanctl revert --to` the snapshot; to keep it: `wlanctl adopt --undeclared`, or a new snapshot'
        },
  OVER_MAX_CHANGES: (
    changed: number,
    wlans: number,
    max: number,
    source: string,
    command = 'apply'
  ) => ({
    message: `the plan changes ${formatNumber(changed)} of ${plural(wlans, 'WLAN')} (${percentOf(changed, wlans)} %), and ${source} allows ${formatNumber(max)}`,
    hint: `to allow all of them: \`${command} --max-changes ${changed}\``
  }),
  PROTECTED: (kept: number, changes: number) => ({
    level: 'warning',
    message: `${kept} of ${plural(changes, 'change')} would touch a protected WLAN and ${kept === 1 ? 'is' : 'are'} skipped`,
    hint: 'to change it on purpose, remove its `$protect` in a change before this one'
  }),
  SECRETS_MISSING: (missing: number) => ({
    level: 'warning',
    message: `${plural(missing, 'secret')} ${missing === 1 ? 'is' : 'are'} not available, and \`apply\` needs ${missing === 1 ? 'it' : 'them'}`,
    hint: 'run `apply` where the secrets are: set the variables, or give `--secrets-file` or `--secrets-dir`'
  }),
  /** `isMixed`: some of the WLANs would see less than the worst. */
  OVER_MAX_IMPACT: (
    over: number,
    wlans: number,
    worst: string,
    most: string,
    isMixed = false,
    command = 'apply'
  ) => ({
    message: `${over} of ${plural(wlans, 'WLAN')} (${percentOf(over, wlans)} %) would see ${isMixed ? 'up to ' : ''}${impactTexts[worst] ?? worst}, and --max-impact allows ${most}`,
    hint: `to allow the impact: \`${command} --max-impact ${worst}\``
  }),
  OVER_MAX_PERCENT: (changed: number, wlans: number, max: number, command = 'apply') => ({
    message: `the plan changes ${formatNumber(changed)} of ${plural(wlans, 'declared WLAN')} (${percentOf(changed, wlans)} %), and policy.max_change_percent allows ${max} %`,
    hint: `to allow all of them: \`${command} --max-changes ${changed}\``
  }),
  CHANGED_SINCE: (pointers: readonly Pointer[]) => ({
    message: `changed after it was applied: ${fieldNames(pointers)}`,
    hint: 'check the new values first; to overwrite them, run with `--force`'
  }),
  SECRET_NOT_RESTORED: (pointers: readonly Pointer[]) => ({
    level: 'warning',
    message: `records and snapshots hold no secrets; these secrets stay as they are: ${fieldNames(pointers)}`,
    hint: 'to restore an old secret, declare it and run `apply`'
  }),
  /** `detail`: why a site is not in the state, or the fields. */
  NOT_RESTORED: (what: 'site' | 'network' | 'unknown' | 'secret', detail = '') => ({
    level: 'warning',
    ...notRestored(what, detail)
  }),
  SIDE_EFFECT_STAYS: (pointers: readonly Pointer[]) => ({
    level: 'warning',
    message: `side effects of the applied change are not reverted: ${fieldNames(pointers)}`,
    hint: 'a record holds declared fields only; check these fields after the revert'
  }),
  NO_LONGER_DECLARED: (revision: string, removed: NoLongerDeclared) => ({
    level: 'warning',
    ...noLongerDeclared(quote(revision), removed)
  }),
  CHANGE_OVERRIDDEN: (pointer: Pointer, at: string, sites: readonly string[]) => ({
    level: 'warning',
    message: `${plural(sites.length, 'site')} ${sites.length === 1 ? 'overrides' : 'override'} ${fieldName(pointer)} and ${sites.length === 1 ? 'does' : 'do'} not change with ${at}: ${listFirst(sites, 5)}`,
    hint: 'if they should follow, remove their overrides'
  }),
  SITE_NOT_READ: (reason: string, hint?: string) => ({
    message: `the site could not be read: ${reason}`,
    hint
  }),
  SITE_NOT_DECLARED: (id: string) => ({
    level: 'warning',
    message: `the organization has this site (${id}), and no file declares it`,
    hint: `declare it, as \`wlanctl import ${id}\` does`
  }),
  ORG_NOT_READ: (reason: string) => ({
    level: 'warning',
    message: `the sites of the organization could not be read: ${reason}`,
    hint: 'sites that no file declares go unnoticed; remove `policy.org` if the service lists no sites for this token'
  }),

  // import: parts of the live state that a file cannot declare unchanged
  IMPORT_INHERITED: (wlans: number, sites: number) => ({
    level: 'warning',
    message: `${plural(wlans, 'live WLAN')}${sites === 1 ? '' : ` on ${sites} sites`} ${wlans === 1 ? 'is' : 'are'} inherited from the organization and not declared`,
    hint: 'a site cannot update inherited WLANs: change the templates of the organization'
  }),
  IMPORT_EMPTY: () => ({
    level: 'warning',
    message: 'the service lists no WLANs for the site',
    hint: 'networks from templates of the organization are not in the list of a site'
  }),
  IMPORT_SSID_UNFIT: (problem: string) => ({
    level: 'warning',
    message: `the SSID is not declared: ${problem}`,
    hint: 'the file identifies the WLAN by its `id`; change the SSID in the service'
  }),
  IMPORT_UNFIT: (pointers: readonly Pointer[]) => ({
    level: 'warning',
    message: `${plural(pointers.length, 'value')} cannot be declared: ${fieldNames(pointers)}`,
    hint: 'the schema of a WLAN does not allow these live values; they stay as they are'
  }),
  IMPORT_UNKNOWN: (fields: readonly string[], networks: number) => ({
    level: 'warning',
    message: `${plural(fields.length, 'field')} not known to wlanctl ${fields.length === 1 ? 'is' : 'are'} not declared, on ${plural(networks, 'network')}: ${listFirst(fields, 10)}`,
    hint: 'the service is newer than this version of wlanctl; these fields stay as they are'
  }),
  IMPORT_TOO_LARGE: () => ({
    level: 'warning',
    message: 'the WLAN has more values than a file may declare, and is not imported'
  }),
  IMPORT_NOT_FACTORED: (reason: string) => ({
    level: 'info',
    message: `one file for each site instead of layers: ${reason}`
  }),
  IMPORT_GROUP_UNUSED: (name: string, glob: string) => ({
    level: 'warning',
    message: `no group is named ${quote(name)}: ${quote(glob)} matches no value that sites share, and no names of all sites of a group`
  }),
  IMPORT_SECRET_HIDDEN: (hidden: number, secrets: number) => ({
    level: 'warning',
    message: `the service hides ${hidden} of ${plural(secrets, 'secret')}`,
    hint: 'enter these secrets yourself; without them the fields are not compared, and `apply` refuses'
  }),
  IMPORT_SECRET_UNFIT: (names: readonly string[]) => ({
    level: 'warning',
    message: `${plural(names.length, 'secret')} cannot be stored in a file: ${listFirst(names, 3)}`,
    hint: 'a secret file holds at most 64 KiB of Unicode text; change the secret in the service'
  }),

  MORE_WARNINGS: (shown: number, more: number) => ({
    level: 'warning',
    message: `the first ${shown} warnings are listed; ${more} more were found`
  }),
  MORE_REFUSALS: (shown: number, more: number) => ({
    message: `the first ${shown} refusals are listed; ${more} more were found`
  }),
  TOO_MANY_ERRORS: (limit: number, more: number) => ({
    message:
      more === 0
        ? `${limit} errors or more; the search stopped`
        : `${limit} errors or more; the first ${limit} are listed, and ${more} more were found before the search stopped`,
    hint: 'fix these first'
  })
} as const satisfies Messages

function notRestored(what: 'site' | 'network' | 'unknown' | 'secret', detail: string) {
  switch (what) {
    case 'site':
      return { message: `not restored: ${detail}` }
    case 'network':
      return { message: 'not in the state that is restored: wlanctl deletes no network' }
    case 'unknown':
      return {
        message: `not restored, as the schema does not know the field or its value: ${detail}`,
        hint: 'check the field, and set it where it is managed'
      }
    case 'secret':
      return {
        message: `not restored, as the service shows no secret that it may need: ${detail}`,
        hint: 'declare the field with its secret, and run `apply`'
      }
  }
}
