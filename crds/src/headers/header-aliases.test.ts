import { expect, test } from 'vitest';
import { isHeaderAlias, MAX_HEADER_ALIAS } from './index.ts';

test.for(['x-portkey-', 'x-acme-', 'x-9-', `x-${'a'.repeat(MAX_HEADER_ALIAS - 3)}-`])(
  '%s may stand for x-gw-',
  (prefix) => {
    expect(isHeaderAlias(prefix)).toBe(true);
  },
);

test.for([
  ...['', 'x-', 'x--', 'x-acme', 'acme-', 'X-Acme-', 'x-acme-ai-', 'x_acme_', ' x-acme-', 'x-acme-\n', 'x-*-', 'via'],
  ...['x-amz-', 'x-goog-', 'x-ms-', 'x-forwarded-', 'x-mock-', 'x-gw-', 'x-api-'],
  `x-${'a'.repeat(MAX_HEADER_ALIAS)}-`,
])('%j may not', (prefix) => {
  expect(isHeaderAlias(prefix)).toBe(false);
});
