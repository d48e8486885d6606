import type { File } from './file.ts'
import type { RequestedSite } from './request.ts'
import { type ImportedSecret, References, referSecrets, SecretNames } from './secrets.ts'
import type { ImportedSite } from './site.ts'
import { siteText } from './text.ts'

/** Long work calls it between its units; it rejects once the work is to stop. */
export type Pause = () => Promise<void>

/** A site that was asked for, and what was made of it. */
export type SitePair = readonly [requested: RequestedSite, imported: ImportedSite]

/** Declares sites in files of their own, one after the other: names depend on those before. */
export class PlainFiles {
  readonly #references: References

  constructor(secretPrefix: string) {
    this.#references = new References(new SecretNames(secretPrefix))
  }

  /** What the files so far refer to. */
  get secrets(): readonly ImportedSecret[] {
    return this.#references.secrets
  }

  file([{ slug }, imported]: SitePair): File {
    const wlans = referSecrets(imported, slug, this.#references)
    return { file: `${slug}.yaml`, text: siteText({ ...imported, wlans }), wlans: wlans.length }
  }
}

/** The same for all sites at once. */
export async function plainFiles(
  sites: readonly SitePair[],
  secretPrefix: string,
  pause: Pause
): Promise<{ readonly files: readonly File[]; readonly secrets: readonly ImportedSecret[] }> {
  const plain = new PlainFiles(secretPrefix)
  const files: File[] = []
  for (const site of sites) {
    await pause()
    files.push(plain.file(site))
  }
  return { files, secrets: plain.secrets }
}
