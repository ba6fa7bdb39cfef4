/** A change of feedback is a newer version of its row, which takes the place of the older ones. */
import type { FeedbackChange } from '../reader.ts';
import type { ClickHouseConnection } from './client.ts';
import type { Question } from './question.ts';

/** False: there is none with the id in one of the workspaces. */
export async function changeFeedback(
  { ask, change }: Pick<ClickHouseConnection, 'ask' | 'change'>,
  { id, workspaces, to }: { readonly id: string; readonly workspaces: readonly string[]; readonly to: FeedbackChange },
): Promise<boolean> {
  const which = (q: Question): string => `
    from gateway_logs.feedback as f
    where f.id = toUUID(${q.param(id, 'String')}) and has(${q.texts(workspaces)}, toString(f.workspace))
    order by f.updated_at desc limit 1`;
  if ((await ask((q) => `select 1 as one ${which(q)}`)).length === 0) return false;
  await change((q) => `insert into gateway_logs.feedback ${newerRow(q, to)} ${which(q)}`);
  return true;
}

/** Newer than all that there is, whatever the clocks of gateways say. */
function newerRow(q: Question, { value, weight, metadata, at }: FeedbackChange): string {
  const columns = {
    ...{ id: 'f.id', workspace: 'f.workspace', trace_id: 'f.trace_id' },
    value: `toInt8(${q.param(value, 'Int64')})`,
    weight: weight === undefined ? 'f.weight' : q.param(weight, 'Float64'),
    metadata:
      metadata === undefined
        ? 'f.metadata'
        : `mapFromArrays(${q.texts(Object.keys(metadata))}, ${q.texts(Object.values(metadata))})`,
    ...{ api_key: 'f.api_key', key_user: 'f.key_user', guardrail: 'f.guardrail', created_at: 'f.created_at' },
    updated_at: `greatest(${q.time(at)}, f.updated_at + toIntervalMillisecond(1))`,
  };
  return `(${Object.keys(columns).join(', ')}) select ${Object.values(columns).join(', ')}`;
}
