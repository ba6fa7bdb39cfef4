import { describe, expect, test } from 'vitest';
import { AppError } from '../errors/index.ts';
import type { FleetRequest } from '../fleet/index.ts';
import type { UpstreamResponse } from '../upstream/index.ts';
import { type Calls, createCalls } from './calls.ts';
import { type CountersRequest, countersRequest, MAX_BYTES, MAX_ITEMS, type WireAsk } from './protocol.ts';

const ASK: WireAsk = {
  demands: [{ subject: 'workspace/team-a/team-a', unit: 'requests', window: 'rpd', room: 1, take: 1 }],
};
const ADDITION = { subject: 'workspace/team-a/team-a', unit: 'tokens', window: 'rpm', units: 7 } as const;

/** An answer with these bytes. */
const respond = (status: number, text: string): UpstreamResponse => ({
  status,
  headers: {},
  body: {
    peek: async () => ({ held: [], last: true }),
    pipe: () => undefined,
    resume: () => undefined,
    cancel: () => undefined,
    discard: () => undefined,
    collect: async () => Buffer.from(text),
  },
});

const GRANTED = { status: 'granted', windows: [null] };
const grantAll = ({ asks }: CountersRequest): UpstreamResponse =>
  respond(200, JSON.stringify({ asks: asks.map(() => GRANTED), budgets: [] }));

function start(answer: (request: CountersRequest) => UpstreamResponse | Promise<UpstreamResponse> = grantAll) {
  const sent: CountersRequest[] = [];
  const sizes: number[] = [];
  const calls: Calls = createCalls({
    timeoutMs: 20,
    address: () => ({ url: 'https://fleet.example' }),
    link: {
      send: (_to, { body }: FleetRequest, signal) =>
        new Promise((resolve, reject) => {
          const bytes = body as Buffer; // calls send buffers
          sizes.push(bytes.length);
          const request = countersRequest.parse(JSON.parse(bytes.toString('utf8')));
          sent.push(request);
          signal.onCancel(() => reject(signal.reason));
          Promise.resolve(answer(request)).then(resolve, reject);
        }),
    },
  });
  return { calls, sent, sizes };
}

describe('calls to the fleet', () => {
  test('of one turn of the event loop travel together', async () => {
    const { calls, sent } = start();
    await Promise.all([calls.ask(ASK), calls.add([ADDITION]), calls.ask(ASK), calls.probe()]);
    expect(sent).toEqual([{ asks: [ASK, ASK], additions: [ADDITION], budgets: [] }]);
  });

  test('have no more in them than the fleet takes', async () => {
    const { calls, sent, sizes } = start();
    const large: WireAsk = { demands: Array(500).fill({ ...ASK.demands[0], subject: 'x'.repeat(100) }) };
    await Promise.all([...Array.from({ length: 450 }, () => calls.ask(ASK)), calls.ask(large), calls.ask(large)]);
    expect(sent.flatMap(({ asks }) => asks)).toHaveLength(452);
    expect(Math.max(...sent.map(({ asks }) => asks.length))).toBeLessThanOrEqual(MAX_ITEMS);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(MAX_BYTES);
  });

  test.each<{ rule: string; answer: () => UpstreamResponse | Promise<UpstreamResponse>; reason: string }>([
    { rule: 'refuses', answer: () => respond(401, ''), reason: 'refused' },
    { rule: 'is an older one', answer: () => respond(404, ''), reason: 'refused' },
    { rule: 'has too many calls of the pod', answer: () => respond(429, ''), reason: 'busy' },
    { rule: 'fails', answer: () => respond(500, ''), reason: 'failed' },
    { rule: 'answers something else', answer: () => respond(200, '{"asks":[]}'), reason: 'failed' },
    { rule: 'answers less than was asked', answer: () => respond(200, '{"asks":[],"budgets":[]}'), reason: 'failed' },
    { rule: 'never answers', answer: () => new Promise(() => undefined), reason: 'timeout' },
    {
      rule: 'is away',
      answer: () => Promise.reject(new AppError('FLEET_UNAVAILABLE')),
      reason: 'failed',
    },
  ])('fail when the fleet $rule', async ({ answer, reason }) => {
    const { calls } = start(answer);
    await expect(calls.ask(ASK)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', reason });
  });

  test('go on after one that failed', async () => {
    const answers = [respond(500, ''), undefined];
    const { calls } = start((request) => answers.shift() ?? grantAll(request));
    await expect(calls.ask(ASK)).rejects.toMatchObject({ reason: 'failed' });
    expect(await calls.ask(ASK)).toEqual(GRANTED);
  });
});
