/** The body and the headers of an alert. */
import { createHash, createHmac } from 'node:crypto';
import type { BudgetAlert } from '../usage/index.ts';

/** What a webhook gets. */
export interface AlertMessage {
  /** The same for every attempt and from every leader: a receiver that has seen it may ignore it. */
  readonly id: string;
  readonly body: string;
}

const TYPES = { alert: 'budget.alert', exhausted: 'budget.exhausted' } as const;

/** The message of an alert; the same alert gives the same message. */
export function toMessage({ kind, object, row }: BudgetAlert): AlertMessage {
  const { name, namespace, uid } = object.metadata;
  const { type, limit, used, usedPercent, periodStartTime, nextResetTime, exhausted } = row;
  const id = createHash('sha256')
    .update(JSON.stringify([kind, object.kind, uid, row.name, periodStartTime]))
    .digest('base64url');
  const data = {
    object: { kind: object.kind, namespace, name },
    budget: { name: row.name, type, limit, used, usedPercent, periodStartTime, nextResetTime, exhausted },
  };
  const timestamp = kind === 'alert' ? row.alertTime : row.exhaustedTime;
  return { id, body: JSON.stringify({ type: TYPES[kind], timestamp, data }) };
}

/** A key of the form that the specification recommends: base64 behind this. */
const ENCODED_KEY = 'whsec_';

/**
 * The headers of one attempt, by the Standard Webhooks specification: HMAC-SHA256 over id, time and body.
 * Source: https://www.standardwebhooks.com
 */
export function signedHeaders({ id, body }: AlertMessage, key: string, nowMs: number): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1_000));
  const bytes = key.startsWith(ENCODED_KEY)
    ? Buffer.from(key.slice(ENCODED_KEY.length), 'base64')
    : Buffer.from(key, 'utf8');
  const signature = createHmac('sha256', bytes).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
}
