// npm run executable: makes build/executable/, with the program as one file that contains Node, for this system; its licences and its SBOM.
// https://nodejs.org/api/single-executable-applications.html
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { argv, execPath, platform } from 'node:process'
import { inject } from 'postject'
import { build } from 'rolldown'

const folder = argv[2] ?? 'build/executable'
const executable = join(folder, platform === 'win32' ? 'wlanctl.exe' : 'wlanctl')

/** Where the distributions of Node have its licence. */
const nodeLicence = ['LICENSE', '../LICENSE', '../share/doc/nodejs/LICENSE']
  .map(path => join(dirname(execPath), path))
  .find(existsSync)
if (nodeLicence === undefined) throw new Error(`no licence of Node near ${execPath}`)

/** Node starts one CommonJS file from an executable, without access to others. */
async function makeBlob() {
  const cwd = mkdtempSync(join(tmpdir(), 'executable-'))
  try {
    await build({
      input: 'dist/wlanctl.js',
      platform: 'node',
      checks: { pluginTimings: false },
      output: {
        file: join(cwd, 'wlanctl.cjs'),
        format: 'cjs',
        codeSplitting: false,
        dynamicImportInCjs: false,
        minify: { compress: true, mangle: false, codegen: true },
        charset: 'ascii'
      }
    })
    // Relative paths, because Node stores that of the main file.
    const config = {
      main: 'wlanctl.cjs',
      output: 'blob',
      disableExperimentalSEAWarning: true,
      useCodeCache: true
    }
    writeFileSync(join(cwd, 'sea.json'), JSON.stringify(config))
    execFileSync(execPath, ['--experimental-sea-config', 'sea.json'], { cwd, stdio: 'pipe' })
    return readFileSync(join(cwd, 'blob'))
  } finally {
    rmSync(cwd, { recursive: true })
  }
}

mkdirSync(folder, { recursive: true })
copyFileSync(execPath, executable)
chmodSync(executable, 0o755)
// macOS starts only what is signed, if only by the machine that made it.
if (platform === 'darwin') execFileSync('codesign', ['--remove-signature', executable])
await inject(executable, 'NODE_SEA_BLOB', await makeBlob(), {
  sentinelFuse: 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2',
  machoSegmentName: 'NODE_SEA'
})
if (platform === 'darwin') execFileSync('codesign', ['--sign', '-', executable])

copyFileSync('LICENSE', join(folder, 'LICENSE'))
copyFileSync('dist/THIRD-PARTY-LICENSES.txt', join(folder, 'THIRD-PARTY-LICENSES.txt'))
copyFileSync(nodeLicence, join(folder, 'NODE-LICENSE.txt'))
const sbom = execFileSync(execPath, ['.github/scripts/sbom.mjs', '--node'])
writeFileSync(join(folder, 'sbom.cdx.json'), sbom)
