import { describe, expect, test } from 'vitest';
import { AppError } from '../../../errors/index.ts';
import type { CheckAnswer, CheckSubject, CompiledHook, HookResult } from '../../../guardrails/index.ts';
import type { TextProtocol } from '../../../guardrails/stream/index.ts';
import { PROTOCOLS, STREAMS, saidBy } from '../../../guardrails/stream/testing.ts';
import { createByteBudget } from '../../../lib/byte-budget.ts';
import { checkStream, type StreamHooks } from './index.ts';
import { noSecret, received, runFor, source } from './testing.ts';

const DENIED = new AppError('MODEL_NOT_ALLOWED');
const WORDS = Array.from({ length: 40 }, (_, i) => `word${i} `);
const INPUT = [{ id: 'input' } as HookResult]; // all that is shown of it here

const plain: CompiledHook = { ...noSecret, window: undefined };
const buffer: CompiledHook = { ...plain, buffer: true };

/** The hook with another check. */
function doing(hook: CompiledHook, run: (subject: CheckSubject) => CheckAnswer): CompiledHook {
  return { ...hook, transforms: true, checks: hook.checks.map((check) => ({ ...check, run })) };
}

const redacts = (subject: CheckSubject): CheckAnswer => ({
  verdict: true,
  transformed: { kind: 'parts', parts: subject.parts.map((part) => part.replaceAll('SECRET', '[gone]')) },
});

async function check(protocol: TextProtocol, pieces: readonly string[], over: Partial<StreamHooks>) {
  const { body, flow } = source(protocol);
  const budget = createByteBudget(10_000_000);
  const settled: unknown[] = [];
  const hooks: StreamHooks = {
    protocol,
    hooks: [],
    run: runFor(protocol),
    refuse: () => DENIED,
    held: () => {},
    cut: () => {},
    seen: undefined,
    settled: ({ results }) => void settled.push(results.map(({ verdict, deny }) => ({ verdict, deny }))),
    inputResults: [],
    inputFailed: false,
    placeholders: undefined,
    nextSlice: () => Promise.resolve(),
    strict: false,
    includeUsage: false,
    memory: budget.open(),
    maxBytes: 1_000_000,
    ...over,
  };
  const answer = { status: 200, headers: {}, body, stream: true };
  const checking = checkStream(answer, hooks);
  const stream = STREAMS[protocol](pieces);
  body.upstream.push(Buffer.from(stream));
  body.upstream.finish();
  const checked = await checking;
  const base = { stream, flow, settled, budget };
  if (checked instanceof AppError)
    return { ...base, error: checked, status: 0, text: '', used: budget.used, isSame: false };
  const held = budget.used;
  const { text, error } = await received(checked.body as Parameters<typeof received>[0]).over; // it stays a stream
  return { ...base, error, status: checked.status, text, used: held, isSame: checked === answer };
}

describe.for(PROTOCOLS)('a stream of %s', (protocol) => {
  test('that is held is denied before its first byte', async () => {
    const { error, settled, used } = await check(protocol, [...WORDS, 'SEC', 'RET'], { hooks: [buffer] });
    expect([error, settled, used]).toEqual([DENIED, [[{ verdict: false, deny: true }]], 0]);
  });

  test('that is held and passes is sent as it came, between the results', async () => {
    const { status, text, stream, used } = await check(protocol, WORDS, { hooks: [buffer], inputResults: INPUT });
    expect([status, used]).toEqual([200, Buffer.byteLength(text)]);
    expect(text).toContain(stream);
    const [before, after] = [text.indexOf('"before_request_hooks"'), text.indexOf('"after_request_hooks"')];
    expect(after).toBeGreaterThan(stream.length);
    if (protocol === 'responses') expect(before).toBeGreaterThan(stream.length);
    else expect(before).toBeLessThan(text.indexOf('word0'));
  });

  test('that is held and fails without a denial has status 246', async () => {
    const hooks = [{ ...buffer, deny: false }];
    expect(await check(protocol, ['SECRET'], { hooks, strict: true })).toMatchObject({ status: 246 });
  });

  test('that is held is redacted whole, and then its placeholders are restored', async () => {
    const placeholders = new Map([['[N_1]', 'Ada']]);
    const hooks = [doing(buffer, redacts)];
    const { text } = await check(protocol, ['a SEC', 'RET of [N', '_1]'], { hooks, placeholders, strict: true });
    expect(saidBy(protocol, text).pieces).toBe('a [gone] of Ada');
    expect(text).not.toContain('hook_results');
  });

  test('that is only looked at is sent whole, and its results deny nothing', async () => {
    const { status, text, stream, settled } = await check(protocol, ['a SECRET'], { hooks: [plain] });
    expect([status, settled]).toEqual([200, [[{ verdict: false, deny: false }]]]);
    expect(text.startsWith(stream)).toBe(true);
    expect(text).toContain('"after_request_hooks":[{');
    expect(text).toContain('"deny":false');
  });

  test('in strict mode has no results, and its checks run all the same', async () => {
    const over = { hooks: [plain], strict: true, inputResults: INPUT, inputFailed: true };
    const { status, text, stream, settled } = await check(protocol, WORDS, over);
    expect([status, text, settled]).toEqual([246, stream, [[{ verdict: true, deny: false }]]]);
  });

  test('shows hooks of a config what the defaults have left of each window', async () => {
    const seen: string[] = [];
    const named = doing({ ...noSecret, transforms: false }, ({ text }) => {
      seen.push(text);
      return { verdict: true };
    });
    const hooks = [named, { ...doing(noSecret, redacts), owner: 'organisation' as const }];
    const { text } = await check(protocol, [...WORDS, 'a SECRET ', ...WORDS], { hooks });
    expect(saidBy(protocol, text).pieces).toContain('a [gone] ');
    expect(seen.length).toBeGreaterThan(1);
    expect(seen.join()).not.toContain('SECRET');
  });

  test('that was sent is shown to hooks of a config, whatever a default says of it', async () => {
    const hooks = [plain, { ...plain, owner: 'organisation' as const }];
    const { settled } = await check(protocol, ['a SECRET'], { hooks });
    const failed = { verdict: false, deny: false };
    expect(settled).toEqual([[failed, failed]]);
  });

  test('that fails in a window is cut', async () => {
    const { error, text } = await check(protocol, [...WORDS, 'SEC', 'RET', ...WORDS], { hooks: [noSecret] });
    expect(error).toBe(DENIED);
    expect(text).not.toContain('RET');
  });

  test('that only fails as a whole is cut before its end', async () => {
    const needsEnd = doing({ ...noSecret, window: 10_000 }, ({ response }) => ({
      verdict: !JSON.stringify(response).includes('"id"'),
    }));
    const { error, text, settled } = await check(protocol, WORDS, { hooks: [needsEnd] });
    expect([error, settled]).toEqual([DENIED, [[{ verdict: false, deny: true }]]]);
    expect(text).not.toMatch(/\[DONE\]|message_stop|response\.completed/);
  });
});

describe('a stream', () => {
  test('without hooks, results and placeholders is left alone', async () => {
    const { isSame } = await check('chat', WORDS, {});
    expect(isSame).toBe(true);
  });

  test('that breaks while it is held is an error before the first byte', async () => {
    const { body } = source('chat');
    const hooks: StreamHooks = {
      ...({} as StreamHooks), // a stream that breaks needs no more than what follows
      protocol: 'chat',
      hooks: [buffer],
      inputResults: [],
      placeholders: undefined,
      memory: createByteBudget(1_000_000).open(),
      maxBytes: 1_000_000,
    };
    const checking = checkStream({ status: 200, headers: {}, body, stream: true }, hooks);
    body.upstream.push(Buffer.from('data: {}\n\n'));
    body.upstream.break(Object.assign(new Error('lost'), { code: 'ECONNRESET' }));
    await expect(checking).rejects.toMatchObject({ code: 'UPSTREAM_UNREACHABLE' });
  });
});
