/** What budgets have used, in the status of the Kinds that have some. */
import { z } from 'zod';
import { isObject } from '../../lib/result.ts';
import { atomicList, dateTime, int, mapList, pattern, text } from '../../schema/index.ts';
import type { PrinterColumn } from './define.ts';
import { BUDGET_TYPES } from './limits.ts';

/** Names of exhausted counters in a status. */
export const MAX_NAMED_COUNTERS = 10;

/** Wider than that of a limit: the last requests may use more than is left. */
const amount = (description: string) =>
  pattern(/^[0-9]{1,16}(\.[0-9]{1,9})?$/, 'a decimal number', 26).meta({ description });

const usageRow = z.object({
  name: text('name is that of the budget; of a policy, its own.', 253),
  type: z.enum(BUDGET_TYPES).meta({ description: 'type is what is counted.' }),
  limit: amount('limit is the size of the budget: US dollars, tokens or requests.'),
  used: amount(
    'used is the use in this period, of the counter with the least left where there are several; brought up to date with every tenth of the budget, at most once a minute.',
  ),
  usedPercent: int('usedPercent is used in percent of limit; 100 when nothing is left.', 0, 100),
  periodStartTime: dateTime('periodStartTime is when the counting began.').optional(),
  nextResetTime: dateTime('nextResetTime is when the counting begins anew; absent: never.').optional(),
  alertTime: dateTime('alertTime is when alertThreshold was reached in this period.').optional(),
  alertSentTime: dateTime('alertSentTime is when the webhooks had that alert, or were given up.').optional(),
  exhaustedTime: dateTime('exhaustedTime is when the first counter was used up in this period.').optional(),
  exhaustedSentTime: dateTime('exhaustedSentTime is when the webhooks had that alert, or were given up.').optional(),
  counters: int(
    'counters is how many groups or workspaces have used something; absent: there is one counter.',
    0,
    1_000_000,
  ).optional(),
  exhaustedCounters: int('exhaustedCounters is how many of them have nothing left.', 0, 1_000_000).optional(),
  exhausted: atomicList(
    text('A group or workspace.', 253),
    'exhausted are the first of them, by name.',
    MAX_NAMED_COUNTERS,
  ).optional(),
});

export type UsageRow = Readonly<z.output<typeof usageRow>>;

/** The members of a status about budgets. */
export const usageStatus = {
  usage: mapList(usageRow, ['name'], {
    description: 'usage is what budgets have used; one that is absent has used nothing in this period.',
    max: 8,
  }).optional(),
  used: text('used is the use of the budget with the least left.', 8).optional(),
};

export const usageColumns: readonly PrinterColumn[] = [
  { name: 'Used', type: 'string', jsonPath: '.status.used' },
  { name: 'Exhausted', type: 'string', jsonPath: '.status.conditions[?(@.type=="Exhausted")].status' },
];

const usageRows = z.array(usageRow);

/** The rows of a status as another process has written them; none where they are not readable. */
export function readUsage(status: unknown): readonly UsageRow[] {
  const usage = isObject(status) ? status['usage'] : undefined;
  return usageRows.safeParse(usage).data ?? [];
}
