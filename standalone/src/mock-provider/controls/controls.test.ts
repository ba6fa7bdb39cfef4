import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createAttempts, MOCK_CONTROLS, readHeaderControls, readModelControls } from './index.ts';

const OK = (value: object) => ({ ok: true, value });
const REFUSED = { ok: false };

describe('controls in headers', () => {
  test.for([
    { rule: 'are none by default', headers: { host: 'a', 'x-mocking': '1' }, want: OK({}) },
    {
      rule: 'are typed by their row',
      headers: { 'x-mock-status': '503', 'x-mock-malformed': 'utf8', 'x-mock-no-done': '1', 'x-mock-text': 'Hi' },
      want: OK({ status: 503, malformed: 'utf8', noDone: true, text: 'Hi' }),
    },
    { rule: 'can be switched off', headers: { 'x-mock-no-done': 'false' }, want: OK({}) },
    { rule: 'carry UTF-8 bytes', headers: { 'x-mock-text': 'gr\u00c3\u00bcn' }, want: OK({ text: 'grün' }) },
    { rule: 'carry Latin-1 bytes', headers: { 'x-mock-text': 'gr\u00fcn' }, want: OK({ text: 'grün' }) },
    {
      rule: 'carry any character in RFC 8187 form',
      headers: { 'x-mock-text': "UTF-8''a%0A%F0%9F%91%8B%25" },
      want: OK({ text: 'a\n👋%' }),
    },
    { rule: 'keep a per cent sign', headers: { 'x-mock-text': '100% sure' }, want: OK({ text: '100% sure' }) },
    {
      rule: 'take a count with a key',
      headers: { 'x-mock-fail-times': '2', 'x-mock-fail-key': 'k' },
      want: OK({ failTimes: 2, failKey: 'k' }),
    },
  ])('$rule', ({ headers, want }) => {
    expect(readHeaderControls(headers)).toEqual(want);
  });

  test.for([
    { rule: 'an unknown control', headers: { 'x-mock-statsu': '503' } },
    { rule: 'a number that is no number', headers: { 'x-mock-status': 'many' } },
    { rule: 'a number out of range', headers: { 'x-mock-status': '99' } },
    { rule: 'a fraction', headers: { 'x-mock-delay-ms': '1.5' } },
    { rule: 'a word that is no choice', headers: { 'x-mock-malformed': 'xml' } },
    { rule: 'a flag that is neither on nor off', headers: { 'x-mock-no-done': 'maybe' } },
    { rule: 'broken per cent coding', headers: { 'x-mock-text': "UTF-8''%E0%A4%A" } },
    { rule: 'a line break for a header', headers: { 'x-mock-retry-after': "UTF-8''1%0D%0Ax-evil:%201" } },
    { rule: 'a character that no header has', headers: { 'x-mock-retry-after': '1\u00e9' } },
    { rule: 'a count without a key', headers: { 'x-mock-fail-times': '2' } },
    { rule: 'one bad value among good ones', headers: { 'x-mock-delay-ms': '1', 'x-mock-chunk-bytes': '0' } },
  ])('refuse $rule', ({ headers }) => {
    expect(readHeaderControls(headers)).toMatchObject(REFUSED);
  });

  test('never throw', () => {
    const names = fc.constantFrom(...MOCK_CONTROLS.map((control) => control.header));
    fc.assert(fc.property(names, fc.string(), (name, value) => void readHeaderControls({ [name]: value })));
  });
});

describe('controls in a model name', () => {
  test.for([
    { rule: 'only after mock-', model: 'gpt-fail-503', want: {} },
    { rule: 'not in an ordinary mock model', model: 'mock-small', want: {} },
    { rule: 'a status', model: 'mock-fail-503', want: { status: 503 } },
    { rule: 'a delay', model: 'mock-delay-250', want: { delayMs: 250 } },
    { rule: 'slow tokens', model: 'mock-slow-20', want: { tokenDelayMs: 20 } },
    { rule: 'a cut', model: 'mock-cut-100', want: { cutAfterBytes: 100 } },
    { rule: 'a stall', model: 'mock-stall-0', want: { stallAfterBytes: 0 } },
    { rule: 'broken syntax', model: 'mock-malformed-sse', want: { malformed: 'sse' } },
    { rule: 'an error event', model: 'mock-error-event', want: { errorEvent: '1' } },
    { rule: 'an overload event', model: 'mock-overloaded', want: { errorEvent: 'overloaded' } },
    { rule: 'several, joined', model: 'mock-delay-100+fail-429', want: { delayMs: 100, status: 429 } },
    { rule: 'several with the prefix each', model: 'mock-delay-1+mock-cut-2', want: { delayMs: 1, cutAfterBytes: 2 } },
    { rule: 'behind a plain name', model: 'mock-small+slow-5', want: { tokenDelayMs: 5 } },
    {
      rule: 'a count, keyed by the name',
      model: 'mock-fail-503-times-2',
      want: { status: 503, failTimes: 2, failKey: 'mock-fail-503-times-2' },
    },
    {
      rule: 'a count for any failure',
      model: 'mock-cut-0-times-1',
      want: { cutAfterBytes: 0, failTimes: 1, failKey: 'mock-cut-0-times-1' },
    },
  ])('$rule', ({ model, want }) => {
    expect(readModelControls(model)).toEqual(OK(want));
  });

  test.for([
    { rule: 'a bad value', model: 'mock-fail-often' },
    { rule: 'a missing value', model: 'mock-delay' },
    { rule: 'an unknown part', model: 'mock-delay-100+explode' },
    { rule: 'a value out of range', model: 'mock-fail-700' },
  ])('refuses $rule', ({ model }) => {
    expect(readModelControls(model)).toMatchObject(REFUSED);
  });
});

describe('x-mock-fail-times', () => {
  const asked = { status: 500, failTimes: 2, failKey: 'k', delayMs: 5 } as const;

  test('lifts the failure, and nothing else, after so many requests with the key', () => {
    const attempts = createAttempts();
    const seen = [1, 2, 3, 4].map(() => attempts.apply(asked).status);
    expect(seen).toEqual([500, 500, undefined, undefined]);
    expect(attempts.apply(asked).delayMs).toBe(5);
    expect(attempts.apply({ ...asked, failKey: 'other' }).status).toBe(500);
  });

  test('means 503 when no failure is named', () => {
    const attempts = createAttempts();
    const seen = [1, 2].map(() => attempts.apply({ failTimes: 1, failKey: 'k' }).status);
    expect(seen).toEqual([503, undefined]);
  });

  test('forgets the oldest of more than 10,000 keys', () => {
    const attempts = createAttempts();
    for (let index = 0; index <= 10_000; index += 1) attempts.apply({ failTimes: 1, failKey: `key ${index}` });
    expect(attempts.apply({ failTimes: 1, failKey: 'key 10000' }).status).toBeUndefined();
    expect(attempts.apply({ failTimes: 1, failKey: 'key 0' }).status).toBe(503);
  });
});
