import type { File } from './file.ts'
import type { RequestedSite } from './request.ts'
import { type ImportedSecret, References, referSecrets, SecretNames } from './secrets.ts'
import type { ImportedSite } from './site.ts'
import { siteText } from './text.ts'

/** A site that was asked for, and what was made of it. */
export type SitePair = readonly [requested: RequestedSite, imported: ImportedSite]

/** Declares each site in a file of its own. */
export function plainFiles(
  sites: readonly SitePair[],
  secretPrefix: string
): { readonly files: readonly File[]; readonly secrets: readonly ImportedSecret[] } {
  const references = new References(new SecretNames(secretPrefix))
  const files = sites.map(([{ slug }, imported]) => {
    const wlans = referSecrets(imported, slug, references)
    return { file: `${slug}.yaml`, text: siteText({ ...imported, wlans }), wlans: wlans.length }
  })
  return { files, secrets: references.secrets }
}
