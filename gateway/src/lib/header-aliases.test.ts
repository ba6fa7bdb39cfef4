import { expect, test } from 'vitest';
import { toOwnName } from './header-aliases.ts';

const ALIASES = ['x-acme-', 'x-other-'];

test.for([
  { name: 'x-acme-config', want: 'x-gw-config' },
  { name: 'x-other-api-key', want: 'x-gw-api-key' },
  { name: 'x-acme-x-acme-a', want: 'x-gw-x-acme-a' },
  { name: 'x-acme-', want: 'x-gw-' },
  { name: 'x_acme_config', want: 'x_gw_config' },
  { name: 'x-acme_config', want: 'x_gw_config' },
  { name: 'x-acmes-config', want: 'x-acmes-config' },
  { name: 'my-x-acme-config', want: 'my-x-acme-config' },
  { name: 'x-gw-config', want: 'x-gw-config' },
  { name: 'via', want: 'via' },
])('$name is $want', ({ name, want }) => {
  expect(toOwnName(name, ALIASES)).toBe(want);
  expect(toOwnName(name, [])).toBe(name);
});
