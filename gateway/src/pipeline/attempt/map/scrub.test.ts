import { expect, test } from 'vitest';
import { AUTOMATA } from '../../../lib/automata.ts';
import { Secret } from '../../../lib/secret.ts';
import type { PreparedTarget } from '../../../providers/engine/index.ts';
import { scrubberOf, scrubHeaders } from './scrub.ts';

const made = (): number => AUTOMATA.lasting.made + AUTOMATA.passing.made;
const targetOf = (stored: boolean, secret: string): PreparedTarget =>
  ({ stored, secrets: [new Secret(secret)], customHeaders: new Map() }) as unknown as PreparedTarget; // no more is read
const signed = (at: number) => ({
  authorization: `AWS4-HMAC-SHA256 Credential=AKIA/eu, SignedHeaders=host, Signature=${'0f1e2d'.repeat(10)}${at}`,
  'x-amz-security-token': `token-of-call-${at}-`.padEnd(1_200, 'IQoJb3JpZ2lu'),
});
const body = Buffer.from(JSON.stringify({ message: 'Too many requests: 100% of \\u0061ll' }));

test('calls that are signed each make nothing for an answer that repeats no credential', () => {
  const target = targetOf(true, 'secret-that-signs-all-calls');
  const before = made();
  for (let at = 0; at < 20; at += 1) {
    const scrubber = scrubberOf(target, signed(at));
    expect(scrubber.bytes(body)).toBe(body);
    expect(scrubHeaders({ 'retry-after': '3', link: ['a', 'b'] }, scrubber)).toEqual({
      'retry-after': '3',
      link: ['a', 'b'],
    });
  }
  expect(made()).toBe(before);
});

test('what was made for a call is taken out, and so are the secrets of its target', () => {
  const sent = signed(7);
  const scrubber = scrubberOf(targetOf(true, 'secret-that-signs-all-calls'), sent);
  const said = `${sent['x-amz-security-token']} secret%2dthat-signs-all-calls`;
  const before = made();
  for (let at = 0; at < 20; at += 1) expect(scrubber.text(`said ${said}`)).toBe('said [redacted] [redacted]');
  expect(made()).toBe(before + 1);
});

test('a secret that came with the call does not displace what is made for accounts', () => {
  const before = AUTOMATA.lasting.made;
  expect(scrubberOf(targetOf(false, 'secret-of-the-client'), {}).text('secret-of-the-client')).toBe('[redacted]');
  expect(AUTOMATA.lasting.made).toBe(before);
  expect(scrubberOf(targetOf(true, 'secret-of-an-account'), {}).text('secret-of-an-account')).toBe('[redacted]');
  expect(AUTOMATA.lasting.made).toBe(before + 1);
});
