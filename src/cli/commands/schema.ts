import { Argument, type Command } from 'commander'
import audit from '../../../schemas/audit.schema.json' with { type: 'json' }
import diff from '../../../schemas/diff.schema.json' with { type: 'json' }
import fleet from '../../../schemas/fleet.schema.json' with { type: 'json' }
import outcomes from '../../../schemas/outcomes.schema.json' with { type: 'json' }
import plan from '../../../schemas/plan.schema.json' with { type: 'json' }
import record from '../../../schemas/record.schema.json' with { type: 'json' }
import snapshot from '../../../schemas/snapshot.schema.json' with { type: 'json' }
import wlan from '../../../schemas/wlan.schema.json' with { type: 'json' }
import { exit } from '../../core/model/failure.ts'
import type { Context } from '../context.ts'
import { addExample } from '../options.ts'
import { write } from '../terminal/io.ts'

const schemas = { fleet, wlan, plan, record, snapshot, outcomes, audit, diff }

export function define(command: Command, { io, ends }: Context): void {
  command.addArgument(new Argument('<name>', 'which schema').choices(Object.keys(schemas))).action(
    ends(async (name: keyof typeof schemas) => {
      await write(io, `${JSON.stringify(schemas[name], null, 2)}\n`)
      return exit.done
    })
  )
  addExample(command, 'wlanctl schema fleet')
}
