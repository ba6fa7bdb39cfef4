import { describe, expect, test } from 'vitest';
import { createSeal } from './pending.ts';

const PENDING = { state: 's', nonce: 'n', verifier: 'v', returnTo: '/console', endsMs: 1_000 };

describe('a sign-in that is under way', () => {
  const seal = createSeal('a-secret-of-the-client');

  test('is opened by who has the secret, until it ends', () => {
    const text = seal.seal(PENDING);
    expect(text).toMatch(/^[\w-]+$/);
    expect(createSeal('a-secret-of-the-client').open(text, 999)).toEqual(PENDING);
    expect(seal.open(text, 1_000)).toBeUndefined();
    expect(createSeal('another-secret-of-the-client').open(text, 0)).toBeUndefined();
  });

  test('shows nothing of what is in it, and is another text each time', () => {
    const [one, other] = [seal.seal(PENDING), seal.seal(PENDING)];
    expect(one).not.toBe(other);
    expect(Buffer.from(one, 'base64url').toString('latin1')).not.toContain('console');
  });

  test('is not opened once a byte of it is another one', () => {
    const bytes = Buffer.from(seal.seal(PENDING), 'base64url');
    for (let i = 0; i < bytes.length; i += 1) {
      const changed = Buffer.from(bytes);
      changed[i] = (changed[i] ?? 0) ^ 1;
      expect(seal.open(changed.toString('base64url'), 0), `byte ${i}`).toBeUndefined();
    }
  });

  test.for(['', 'x', 'x'.repeat(40), 'x'.repeat(10_000), '%%%', undefined])('is not %j', (text) => {
    expect(seal.open(text, 0)).toBeUndefined();
  });
});
