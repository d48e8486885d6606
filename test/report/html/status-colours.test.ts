import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { statusInfos } from '../../../src/report/html/cell-status.ts'
import { ROOT } from '../../support/program.ts'

const style = readFileSync(join(ROOT, 'src/report/html/page/style.css'), 'utf8')

it.each(statusInfos.map(({ status }) => status))(
  '%s has a colour, in the light and dark scheme',
  status => {
    expect(style.split(`  --s-${status}: #`)).toHaveLength(3)
    expect(style).toContain(`.s-${status} {\n  --c: var(--s-${status});\n}`)
  }
)
