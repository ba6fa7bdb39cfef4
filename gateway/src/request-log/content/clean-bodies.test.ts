import { expect, test } from 'vitest';
import { createByteBudget } from '../../lib/byte-budget.ts';
import { compileScrubber } from '../../lib/scrub.ts';
import { type BodiesKept, Capture, type RequestRecord } from '../../record/index.ts';
import { sampleAttempt, sampleRecord } from '../../record/testing.ts';
import { type CleanBodies, cleanBodies } from './clean-bodies.ts';

const SECRET = 'canary-5d3e-secret';
const KEY = 'gwk_canary_0123456789';

interface Given {
  readonly kept?: BodiesKept;
  readonly asked?: string;
  readonly params?: object;
  readonly answer?: string;
  readonly isAssembled?: true;
  readonly maxBytes?: number;
}

function record({ kept = 'all', asked, params, answer, isAssembled, maxBytes = 1_000 }: Given): RequestRecord {
  const memory = createByteBudget(100_000, () => undefined).open();
  const captured = new Capture({ kept, maxBytes, memory });
  captured.request = captured.keep(asked === undefined ? undefined : Buffer.from(asked));
  const body = captured.keep(answer === undefined ? undefined : Buffer.from(answer));
  captured.answer = { headers: {}, body: body && { ...body, ...(isAssembled && { isAssembled, truncated: true }) } };
  const own = captured.openAttempt();
  own.params = params;
  own.scrubber = () => compileScrubber([SECRET]);
  own.sends({ headers: {}, body: Buffer.from('{"sent":1}') });
  return { ...sampleRecord({ attempts: [sampleAttempt({ captured: own })] }), captured };
}

const bodies = (given: Given): CleanBodies | undefined => cleanBodies(record(given));

test('bodies are values without secrets', () => {
  const found = bodies({ asked: `{"a":"${SECRET}"}`, answer: `{"b":"x ${KEY}"}` });
  expect(found?.asked()).toEqual({ a: '[redacted]' });
  expect(found?.answered()).toEqual({ b: 'x [redacted]' });
  expect(found?.sent()).toEqual({ sent: 1 });
});

test('credentials are found with escapes, and in what is written of bodies', () => {
  const found = bodies({ asked: `{"a":"\\u0067${KEY.slice(1)}"}` });
  expect(found?.asked()).toEqual({ a: '[redacted]' });
  expect(found?.clean(`{"a":"${KEY}"}`)).toBe('{"a":"[redacted]"}');
  expect(found?.clean('{"a":1}')).toBe('{"a":1}');
});

test('the request is as its target shapes it', () => {
  expect(bodies({ asked: '{"a":1}', params: { b: SECRET } })?.asked()).toEqual({ b: '[redacted]' });
});

test.for<{ rule: string; given: Given }>([
  { rule: 'that is not there', given: {} },
  { rule: 'that is no JSON', given: { answer: 'text' } },
  { rule: 'that was cut', given: { answer: '[1,2,3]', maxBytes: 6 } },
  { rule: 'that is no text', given: { answer: '"\0"' } },
  { rule: 'that nests too deep', given: { answer: '['.repeat(600) + ']'.repeat(600), maxBytes: 2_000 } },
  {
    rule: 'with too many escapes to be cleaned',
    given: { answer: `"${SECRET}${'\\\\'.repeat(30_000)}"`, maxBytes: 90_000 },
  },
])('a body $rule is none', ({ given }) => {
  expect(bodies(given)?.answered()).toBeUndefined();
});

test('of a stream that was cut there is what had come', () => {
  expect(bodies({ answer: '{"b":1}', isAssembled: true })?.answered()).toEqual({ b: 1 });
});

test('there are none where logging does not keep them all', () => {
  expect(bodies({ kept: 'failed', answer: '{}' })).toBeUndefined();
  expect(cleanBodies(sampleRecord())).toBeUndefined();
});
