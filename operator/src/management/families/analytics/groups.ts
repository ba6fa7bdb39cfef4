/** What requests have in common, with their sums. */
import { analyticsGroups, LOG_GROUPS, logGroups } from '@gatehouse/crds/rest';
import type { z } from 'zod';
import type { Caller } from '../../callers/index.ts';
import { RestError } from '../../http/rest-error.ts';
import type { Dimension, Sum } from '../../logs/index.ts';
import { type BoundOperation, type RestCall, type Services, serveOperation } from '../family.ts';
import { shownKeys } from '../key-ids.ts';
import { CENT_NANO } from '../logs/index.ts';
import { windowOf } from '../pages.ts';
import { columnsIn, needsTimes, toColumns } from './columns.ts';
import { questionOf } from './graph.ts';
import { timestamp } from './spans.ts';
import { ratio } from './times.ts';

const list = <T extends object>(total: number, data: readonly T[]) => ({
  object: 'list' as const,
  total,
  data: data.map((one) => ({ ...one, object: 'analytics-group' as const })),
});

/** Of members of the metadata of a row. */
const MAX_METADATA_NAME = 128;

const DIMENSION_OF: Readonly<Record<(typeof LOG_GROUPS)[number], Dimension>> = {
  ai_service: 'provider',
  model: 'model',
  status_code: 'status',
  api_key: 'api_key',
  config: 'config',
  workspace: 'workspace',
  provider: 'account',
  prompt: 'prompt',
};

interface GroupCall extends Pick<RestCall, 'caller' | 'path'> {
  readonly query: z.output<typeof logGroups.logs.query>;
}

async function groupsBy(call: GroupCall, services: Services) {
  const by = LOG_GROUPS.find((name) => name === call.path['groupBy']);
  if (by === undefined) {
    throw new RestError('INVALID', { message: `groupBy: expected one of ${LOG_GROUPS.join(', ')}`, param: 'groupBy' });
  }
  const { columns: named, ...query } = call.query;
  const columns = columnsIn(named);
  const { reader, filter } = await questionOf({ caller: call.caller, query }, services);
  const dimension = DIMENSION_OF[by];
  const options = { by: [dimension], withTimes: needsTimes(columns), page: windowOf(query) };
  const { sums, total } = await reader.sum(filter, options);
  const shown = by === 'api_key' ? await keysIn(sums, call.caller, services) : (of: Sum['of'][Dimension]) => of;
  return list(
    total,
    sums.map((sum) => ({ [by]: shown(sum.of[dimension]), requests: sum.requests, ...toColumns(sum, columns) })),
  );
}

async function keysIn(sums: readonly Sum[], caller: Caller, services: Services) {
  const text = (of: Sum['of'][Dimension]) => (typeof of === 'string' ? of : null);
  const shownKey = await shownKeys(
    sums.map(({ of }) => text(of.api_key)),
    { caller, services },
  );
  return (of: Sum['of'][Dimension]) => shownKey(text(of));
}

export const GROUPS: readonly BoundOperation[] = [
  serveOperation(analyticsGroups.users, async (call, services) => {
    const { reader, filter } = await questionOf(call, services);
    const { sums, total } = await reader.labels(filter, 'end_user', windowOf(call.query));
    return list(
      total,
      sums.map(({ label, requests, costNano }) => ({ user: label, requests, cost: costNano / CENT_NANO })),
    );
  }),
  serveOperation(analyticsGroups.models, async (call, services) => {
    const { reader, filter } = await questionOf(call, services);
    const { sums, total } = await reader.sum(filter, { by: ['model'], page: windowOf(call.query) });
    return list(
      total,
      sums.map(({ of: { model }, requests }) => ({ ai_model: String(model), requests })),
    );
  }),
  serveOperation(analyticsGroups.metadata, async (call, services) => {
    const name = call.path['metadataKey'] ?? '';
    if (name.length > MAX_METADATA_NAME || name.includes('\0') || !name.isWellFormed()) {
      throw new RestError('ABSENT', { message: 'No member of the metadata has that name' });
    }
    const { reader, filter } = await questionOf(call, services);
    const { sums, total } = await reader.labels(filter, { metadata: name }, windowOf(call.query));
    return list(
      total,
      sums.map(({ label, requests, costNano, totalTokens, lastSeen, feedback }) => ({
        metadata_value: label,
        ...{ requests, cost: costNano / CENT_NANO, avg_tokens: ratio(totalTokens, requests) },
        avg_weighted_feedback: ratio(feedback.weighted, feedback.count),
        requests_with_feedback: feedback.requests,
        last_seen: timestamp(lastSeen),
      })),
    );
  }),
  serveOperation(logGroups.analytics, groupsBy),
  serveOperation(logGroups.logs, groupsBy),
];
