import { describe, expect, test } from 'vitest';
import { AppError } from '../../errors/index.ts';
import { Cancellation } from '../../lib/cancellation.ts';
import type { AnsweredTry } from './evaluate/index.ts';
import { guard } from './guard.ts';
import type { AnswerCheck, AttemptPorts, InputCheck } from './index.ts';
import type { Prepared } from './prepare/index.ts';
import { chat, gateway, message, PASS } from './testing.ts';

const eitherOf = (first: string, second: string): object => ({
  strategy: { mode: 'fallback' },
  targets: [{ provider: `@${first}` }, { provider: `@${second}` }],
});

describe('an input check', () => {
  const denyFirst: InputCheck = ({ resolved }) =>
    resolved.managed?.slug === 'first' ? { kind: 'deny', error: new AppError('MODEL_NOT_ALLOWED') } : PASS;

  test('that denies is the outcome of its target, which is not called', async () => {
    const { ask, calls } = gateway({ inputChecks: [denyFirst] });
    expect(await ask({ provider: '@first' })).toMatchObject({ status: 412, provider: 'openai', model: 'm', calls: 0 });
    expect(calls).toHaveLength(0);
  });

  test('that denies lets a fallback go on to the next target', async () => {
    const { ask, calls } = gateway({ inputChecks: [denyFirst] });
    expect(await ask(eitherOf('first', 'second'))).toMatchObject({ status: 200, leaf: { path: 'config.targets[1]' } });
    expect(calls.map(({ headers }) => headers['authorization'])).toEqual(['Bearer sk-second']);
  });

  test('sees the parameters as the target shapes them', async () => {
    const seen: unknown[] = [];
    const { ask } = gateway({
      inputChecks: [
        ({ params }) => {
          seen.push(params['temperature']);
          return PASS;
        },
      ],
    });
    await ask({ provider: '@first', override_params: { temperature: 0.5 } });
    expect(seen).toEqual([0.5]);
  });

  const replaceUser: InputCheck = ({ params }) => ({ kind: 'replace', params: { ...params, user: 'anonymous' } });

  test('that replaces parameters changes what the provider gets and what later checks see', async () => {
    const seen: unknown[] = [];
    const { ask, sentBody } = gateway({
      inputChecks: [
        async (prepared) => replaceUser(prepared),
        ({ params }) => {
          seen.push(params['user']);
          return PASS;
        },
      ],
    });
    expect(await ask({ provider: '@first' }, { user: 'jane' })).toMatchObject({ status: 200 });
    expect(sentBody(0)).toMatchObject({ model: 'm', user: 'anonymous' });
    expect(seen).toEqual(['anonymous']);
  });

  test('sees what the client asked for, without what the gateway adds to it', async () => {
    const seen: unknown[] = [];
    const { ask, sentBody } = gateway({
      needsStreamUsage: true,
      inputChecks: [
        (prepared) => {
          seen.push(prepared.params['stream_options'], prepared.call.hidesUsage);
          return replaceUser(prepared);
        },
        (prepared) => {
          seen.push(prepared.params['stream_options'], prepared.call.hidesUsage);
          return PASS;
        },
      ],
    });
    await ask({ provider: '@first' }, { stream: true });
    expect(seen).toEqual([undefined, true, undefined, true]);
    expect(sentBody(0)).toMatchObject({ user: 'anonymous', stream_options: { include_usage: true } });
  });

  test('that replaces parameters changes the key of the cache', async () => {
    const { ask, calls } = gateway({ inputChecks: [replaceUser] });
    const config = { provider: '@first', cache: { mode: 'simple' } };
    expect(await ask(config, { user: 'jane' })).toMatchObject({ cacheStatus: 'MISS' });
    expect(await ask(config, { user: 'john' })).toMatchObject({ cacheStatus: 'HIT', calls: 0 });
    expect(calls).toHaveLength(1);
  });

  test('that replaces the model is held to the models of the account', async () => {
    const { ask, calls } = gateway({
      inputChecks: [({ params }) => ({ kind: 'replace', params: { ...params, model: 'x' } })],
    });
    expect(await ask({ provider: '@narrow' })).toMatchObject({ status: 412, calls: 0 });
    expect(calls).toHaveLength(0);
  });

  test('cannot replace parameters of a body that is not JSON', () => {
    const replace: InputCheck = () => ({ kind: 'replace', params: {} });
    const prepared = { input: { resolution: { body: { kind: 'none' } } } } as unknown as Prepared; // all that is read
    const ports = { inputChecks: [replace] } as unknown as AttemptPorts; // as above
    expect(() => guard(ports, prepared)).toThrow('not JSON');
  });

  test('that throws lets nothing through', async () => {
    const { ask, calls } = gateway({ inputChecks: [() => Promise.reject(new Error('broken check'))] });
    expect(await ask(eitherOf('first', 'second'))).toMatchObject({ status: 500, error: { code: 'INTERNAL' } });
    expect(calls).toHaveLength(0);
  });

  test('is not waited for when the client leaves', async () => {
    const client = new Cancellation();
    const { ask } = gateway({
      inputChecks: [
        () => {
          client.cancel(new AppError('CLIENT_CLOSED'));
          return new Promise(() => {});
        },
      ],
    });
    expect(await ask({ provider: '@first' }, {}, client)).toMatchObject({ error: { code: 'CLIENT_CLOSED' } });
  });
});

describe('an answer check', () => {
  const refuse =
    (word: string, code: 'UPSTREAM_OVERLOADED' | 'MODEL_NOT_ALLOWED' = 'UPSTREAM_OVERLOADED'): AnswerCheck =>
    ({ answer: { body } }) =>
      body.kind === 'bytes' && body.bytes.includes(word) ? new AppError(code) : undefined;

  test('can cause a retry, and the second answer is served', async () => {
    const { ask, budget } = gateway({ answerChecks: [refuse('bad')], answers: [chat('bad'), chat('good')] });
    const outcome = await ask({ provider: '@first', retry: { attempts: 2 } });
    expect(outcome).toMatchObject({ status: 200, retries: 1, calls: 2, error: undefined });
    expect(outcome.text).toContain('good');
    expect(budget.used).toBe(Buffer.byteLength(outcome.text));
  });

  test('sees the answer in the format of the client', async () => {
    const seen: unknown[] = [];
    const { ask } = gateway({
      answers: [message('hello')],
      answerChecks: [
        async ({ answer: { status, body } }) => {
          seen.push(status, body.kind === 'bytes' && JSON.parse(body.bytes.toString()).choices[0].message.content);
          return undefined;
        },
      ],
    });
    expect(await ask({ provider: '@claude' }, { max_tokens: 1 })).toMatchObject({ status: 200 });
    expect(seen).toEqual([200, 'hello']);
  });

  test('that refuses the last answer is the outcome, whose answer is neither held nor cached', async () => {
    const { ask, calls, budget } = gateway({ answerChecks: [refuse('bad')], answers: [chat('bad')] });
    const config = { provider: '@first', retry: { attempts: 1 }, cache: { mode: 'simple' } };
    const wanted = { status: 529, retries: -1, calls: 2, error: { code: 'UPSTREAM_OVERLOADED' }, store: undefined };
    expect(await ask(config)).toMatchObject(wanted);
    expect(budget.used).toBe(0);
    expect(await ask(config)).toMatchObject({ cacheStatus: 'MISS' });
    expect(calls).toHaveLength(4);
  });

  const replace =
    (from: string, to: string): AnswerCheck =>
    ({ answer }) =>
      answer.body.kind === 'bytes'
        ? { ...answer, body: { kind: 'bytes', bytes: Buffer.from(answer.body.bytes.toString().replace(from, to)) } }
        : undefined;

  test('that returns another answer replaces it for later checks, the client and the cache', async () => {
    const checks = [
      replace('bad', 'worse'),
      async (tried: AnsweredTry) => replace('worse', 'good')(tried),
      () => undefined,
    ];
    const { ask } = gateway({ answerChecks: checks, answers: [chat('bad')] });
    const config = { provider: '@first', cache: { mode: 'simple' } };
    for (const cacheStatus of ['MISS', 'HIT']) {
      const outcome = await ask(config);
      expect(outcome).toMatchObject({ status: 200, cacheStatus });
      expect(outcome.text).toContain('good');
    }
  });

  test('that returns another answer does not hide it from one that refuses', async () => {
    const checks = [async (tried: AnsweredTry) => replace('good', 'bad')(tried), refuse('bad')];
    const { ask } = gateway({ answerChecks: checks, answers: [chat('good')] });
    expect(await ask({ provider: '@first' })).toMatchObject({ status: 529, error: { code: 'UPSTREAM_OVERLOADED' } });
  });

  test('that refuses lets a fallback go on', async () => {
    const checks = [refuse('worse'), refuse('bad', 'MODEL_NOT_ALLOWED')];
    const { ask } = gateway({ answerChecks: checks, answers: [chat('bad'), chat('good')] });
    expect(await ask(eitherOf('first', 'second'))).toMatchObject({ status: 200, leaf: { path: 'config.targets[1]' } });
  });
});

test('an answer that cannot be read keeps the counts of its calls', async () => {
  const { ask } = gateway({ answers: [[]] });
  expect(await ask({ provider: '@claude' }, { max_tokens: 1 })).toMatchObject({
    status: 502,
    error: { code: 'UPSTREAM_INVALID_RESPONSE' },
    calls: 1,
    cacheStatus: 'DISABLED',
  });
});

describe('the times of parts', () => {
  const cached = { provider: '@first', cache: { mode: 'simple' } };
  const time = expect.any(Number);

  test('are those of the look into the cache and of a good whole answer', async () => {
    const { ask } = gateway({ log: { times: {} } });
    expect((await ask(cached)).parts).toEqual({ cacheMs: time, mappingMs: time });
    expect((await ask(cached)).parts).toEqual({ cacheMs: time });
    expect((await ask({ provider: '@second' })).parts).toEqual({ mappingMs: time });
  });

  test('are not those of a stream', async () => {
    const { ask } = gateway({ log: { times: {} }, answers: ['data: [DONE]\n\n'] });
    expect((await ask({ provider: '@first' }, { stream: true })).parts).toEqual({});
  });

  test('are not taken where nobody asks for them', async () => {
    const { ask } = gateway({});
    expect((await ask(cached)).parts).toBeUndefined();
  });
});
