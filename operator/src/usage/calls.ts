/** Calls to `/internal/usage` of a gateway pod. */
import { parseJson } from '@gatehouse/crds';
import { USAGE_PATH, type UsageReport, type UsageTotal, usageReport } from '@gatehouse/crds/usage';
import type { Dispatcher } from 'undici';
import { readText } from '../publish/index.ts';
import { startDeadline } from '../runtime/index.ts';

/** The gateway answers within 30 s in any case; the rest is for the network. */
const POLL_MS = 40_000;
const SEED_MS = 10_000;
/** Of as many rows as an answer may have, with the longest ids. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

export interface UsageCall {
  readonly dispatcher: Dispatcher;
  /** `http://host:port` of the admin listener. */
  readonly origin: string;
  readonly token: string;
  readonly signal: AbortSignal;
}

/** A gateway of a release without budgets. */
export class NoUsageError extends Error {}

/** What has changed since the cursor, or within 30 s. Rejects when no gateway answers in time. */
export async function pollUsage(
  { dispatcher, origin, token, signal }: UsageCall,
  cursor: Pick<UsageReport, 'process' | 'sequence'>,
): Promise<UsageReport> {
  using deadline = startDeadline({ signal, timeoutMs: POLL_MS, onTimeout });
  const { statusCode, body } = await dispatcher.request({
    origin,
    path: `${USAGE_PATH}?process=${encodeURIComponent(cursor.process)}&after=${cursor.sequence}`,
    method: 'GET',
    headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
    signal: deadline.signal,
    headersTimeout: 0, // the deadline has passed
    bodyTimeout: 0,
  });
  if (statusCode !== 200) {
    await body.dump({ limit: MAX_ANSWER_BYTES });
    throw statusCode === 404
      ? new NoUsageError('the pod reports no usage')
      : new Error(`the pod answered ${statusCode}`);
  }
  const report = usageReport.safeParse(parseJson(await readText(body, MAX_ANSWER_BYTES)));
  if (!report.success) throw new Error('the pod sent no usage');
  return report.data;
}

/** Tells a pod totals that it may have lost. */
export async function seedUsage(
  { dispatcher, origin, token, signal }: UsageCall,
  totals: readonly UsageTotal[],
): Promise<void> {
  using deadline = startDeadline({ signal, timeoutMs: SEED_MS, onTimeout });
  const { statusCode, body } = await dispatcher.request({
    origin,
    path: USAGE_PATH,
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ totals }),
    signal: deadline.signal,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  await body.dump({ limit: MAX_ANSWER_BYTES });
  if (statusCode !== 204) throw new Error(`the pod answered ${statusCode}`);
}

const onTimeout = (): Error => new Error('the pod took too long');
