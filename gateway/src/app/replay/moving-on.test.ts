import { DEFAULT_TARGET_CAPS, parseInlineConfig } from '@gatehouse/crds/config';
import { unwrap } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import { compilePlan } from '../../routing/index.ts';
import { movingOn } from './moving-on.ts';

const leaf = { provider: '@main' };
const fallback = (codes: readonly number[] | undefined, ...targets: readonly object[]) => ({
  strategy: { mode: 'fallback', ...(codes && { onStatusCodes: codes }) },
  targets,
});
const single = { strategy: { mode: 'single' }, targets: [leaf] };
const FIRST = 'config.targets[0]';
const DEEP = `${FIRST}.targets[0]`;

test.for([
  { rule: 'any status', of: fallback(undefined, leaf, leaf), path: FIRST, status: 503, isGuess: false },
  { rule: 'a code', of: fallback([429], leaf, leaf), path: FIRST, status: 429, isGuess: false },
  { rule: 'the usual one of several', of: fallback([429, 503], leaf, leaf), path: FIRST, status: 503, isGuess: false },
  { rule: 'the last target', of: fallback([429], leaf, leaf), path: 'config.targets[1]', status: 503, isGuess: false },
  { rule: 'no fallback', of: single, path: FIRST, status: 503, isGuess: false },
  {
    rule: 'the inner one of two',
    of: fallback([500], fallback([429, 500], leaf, leaf), leaf),
    ...{ path: DEEP, status: 429, isGuess: false },
  },
  {
    rule: 'the inner one, where the outer one goes elsewhere',
    of: fallback([500], fallback([429], leaf, leaf), leaf),
    ...{ path: DEEP, status: 429, isGuess: true },
  },
  {
    rule: 'the inner one, where any other goes elsewhere',
    of: fallback(undefined, fallback([429], leaf, leaf), leaf),
    ...{ path: DEEP, status: 429, isGuess: true },
  },
  {
    rule: 'the outer one behind the last target of the inner one',
    of: fallback([418], fallback([429], leaf, leaf), leaf),
    ...{ path: `${FIRST}.targets[1]`, status: 418, isGuess: false },
  },
])('$rule', ({ of, path, status, isGuess }) => {
  const node = unwrap(parseInlineConfig(of, { caps: DEFAULT_TARGET_CAPS, saved: false }));
  const { root } = compilePlan(node, { saved: { slug: 's', version: 'v' }, credential: () => undefined });
  expect(movingOn(root, path)).toEqual({ status, isGuess });
});
