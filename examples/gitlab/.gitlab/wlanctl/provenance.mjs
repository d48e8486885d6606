// npm audit signatures --json --include-attestations | node provenance.mjs OWNER/NAME VERSION
//
// Fails unless npm has verified the provenance of wlanctl, and the signing certificate is that of the release workflow
// of this repository, run for the tag of this version. npm verifies the signature, the digest of the package and the
// entry in the transparency log, but accepts any signer, and a package without provenance. The name in the certificate
// has the form of Fulcio (github.com/sigstore/fulcio, docs/oidc.md, "GitHub").
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'

const [repository = '', version = ''] = process.argv.slice(2)

/** The only signer whose packages are accepted. */
const signer = `https://github.com/${repository}/.github/workflows/release.yml@refs/tags/v${version}`

/** The issuer of identities of workflow runs: the identity provider of GitHub Actions. */
const issuer = 'https://token.actions.githubusercontent.com'

function fail(problem) {
  process.stderr.write(`wlanctl ${version}: ${problem}\n`)
  process.exit(1)
}

function verifiedPackage() {
  let audit
  try {
    audit = JSON.parse(readFileSync(0, 'utf8'))
  } catch {
    fail('npm could not check the signatures')
  }
  const { invalid = [], missing = [], verified } = audit
  if (invalid.length + missing.length > 0)
    fail('the signature of the package is missing or invalid')
  if (!Array.isArray(verified))
    fail('this npm cannot show provenance: use Node 24 with a current npm')
  return verified.find(each => each.name === 'wlanctl' && each.version === version)
}

/** The certificate of the provenance bundle; the registry signs the other bundle. */
function certificateOf({ attestationBundles = [] }) {
  const isProvenance = ({ predicateType = '' }) =>
    predicateType.startsWith('https://slsa.dev/provenance/')
  const { verificationMaterial = {} } = attestationBundles.find(isProvenance)?.bundle ?? {}
  const { certificate, x509CertificateChain } = verificationMaterial
  const { rawBytes } = certificate ?? x509CertificateChain?.certificates?.[0] ?? {}
  return rawBytes && new X509Certificate(Buffer.from(rawBytes, 'base64'))
}

if (!/^[\w.-]+\/[\w.-]+$/.test(repository))
  fail('expected the repository of the release as OWNER/NAME')
const found = verifiedPackage()
const certificate = found && certificateOf(found)
if (!certificate) fail('the package has no provenance, so its builder cannot be verified')
const names = (certificate.subjectAltName ?? '').split(', ')
if (names.length !== 1 || names[0] !== `URI:${signer}`) {
  fail(`expected a package signed by ${signer}, got ${certificate.subjectAltName}`)
}
if (!certificate.raw.includes(issuer)) fail(`expected a certificate for an identity of ${issuer}`)
