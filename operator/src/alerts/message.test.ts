import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import type { BudgetAlert } from '../usage/index.ts';
import { signedHeaders, toMessage } from './message.ts';

const ALERT: BudgetAlert = {
  kind: 'exhausted',
  object: { apiVersion: 'x', kind: 'ApiKey', metadata: { name: 'app', namespace: 'team-red', uid: 'u1' } },
  row: {
    ...{ name: 'main', type: 'cost', limit: '10', used: '10.5', usedPercent: 100 },
    ...{ periodStartTime: '2026-01-01T00:00:00Z', exhaustedTime: '2026-01-02T00:00:00Z' },
  },
};

test('an alert says what is used up, whose it is, and when that happened', () => {
  expect(JSON.parse(toMessage(ALERT).body)).toEqual({
    type: 'budget.exhausted',
    timestamp: '2026-01-02T00:00:00Z',
    data: {
      object: { kind: 'ApiKey', namespace: 'team-red', name: 'app' },
      budget: {
        ...{ name: 'main', type: 'cost', limit: '10', used: '10.5', usedPercent: 100 },
        periodStartTime: '2026-01-01T00:00:00Z',
      },
    },
  });
});

test('an alert has the id of its budget, period and kind', () => {
  const { id } = toMessage(ALERT);
  expect(toMessage({ ...ALERT, row: { ...ALERT.row, used: '11' } }).id).toBe(id);
  expect(toMessage({ ...ALERT, kind: 'alert' }).id).not.toBe(id);
  expect(toMessage({ ...ALERT, row: { ...ALERT.row, periodStartTime: '2026-01-08T00:00:00Z' } }).id).not.toBe(id);
});

test.for([
  {
    rule: 'a key of the recommended form is decoded',
    key: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    want: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  },
  { rule: 'another key is used as it is', key: 'plain key', want: undefined },
])('a message is signed over id, time and body: $rule', ({ key, want }) => {
  const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body: '{"test": 2432232314}' };
  const headers = signedHeaders(message, key, 1_614_265_330_999);
  const own = createHmac('sha256', key).update(`${message.id}.1614265330.${message.body}`).digest('base64');
  expect(headers).toEqual({
    'content-type': 'application/json',
    'webhook-id': message.id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': want ?? `v1,${own}`,
  });
});
