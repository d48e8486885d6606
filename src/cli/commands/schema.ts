import { Argument } from 'commander'
import audit from '../../../schemas/audit.schema.json' with { type: 'json' }
import diff from '../../../schemas/diff.schema.json' with { type: 'json' }
import fleet from '../../../schemas/fleet.schema.json' with { type: 'json' }
import outcomes from '../../../schemas/outcomes.schema.json' with { type: 'json' }
import plan from '../../../schemas/plan.schema.json' with { type: 'json' }
import record from '../../../schemas/record.schema.json' with { type: 'json' }
import snapshot from '../../../schemas/snapshot.schema.json' with { type: 'json' }
import wlan from '../../../schemas/wlan.schema.json' with { type: 'json' }
import { exit } from '../../core/model/failure.ts'
import type { CommandRow } from '../command.ts'
import { write } from '../terminal/io.ts'

const schemas = { fleet, wlan, plan, record, snapshot, outcomes, audit, diff }

export const command: CommandRow = {
  arguments: [new Argument('<name>', 'which schema').choices(Object.keys(schemas))],
  examples: ['wlanctl schema fleet'],
  async run({ io }, name: keyof typeof schemas) {
    await write(io, `${JSON.stringify(schemas[name], null, 2)}\n`)
    return exit.done
  }
}
