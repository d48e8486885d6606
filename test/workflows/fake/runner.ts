import type { GitHub } from './github.ts'
import { type Event, type JobResult, Machine } from './machine.ts'
import type { Workflow } from './workflow.ts'

/** Runs the jobs of a workflow in order, each on its own machine, like GitHub. */
export async function runWorkflow(
  { on, jobs }: Workflow,
  event: Event,
  hub: GitHub
): Promise<Readonly<Record<string, JobResult>>> {
  const results: Record<string, JobResult> = {}
  const defaults = Object.entries(on.workflow_call?.inputs ?? {}).map(([name, input]) => [
    name,
    input.default ?? ''
  ])
  const inputs = { ...Object.fromEntries(defaults), ...event.inputs }
  for (const [id, job] of Object.entries(jobs)) {
    event.beforeJob?.[id]?.()
    results[id] = await new Machine(job, { ...event, inputs }, hub).run(results)
  }
  return results
}
