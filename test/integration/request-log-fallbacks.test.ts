/** Which rows of the request log stand behind a target that has failed, or was left out. */
import { expect, test } from 'vitest';
import { expectNothingLeft, startWorld } from '../kit/gateway.ts';
import { account } from '../kit/limited-world.ts';
import { memoryLog } from '../kit/request-log.ts';
import { waitFor } from '../kit/wait-for.ts';

const target = (model: string, over: object = {}) => ({ provider: '@main', override_params: { model }, ...over });
const good = target('mock-small');
const bad = target('mock-fail-503');
const fallback = (...targets: readonly object[]) => ({ strategy: { mode: 'fallback' }, targets });

const always = (then: string) => ({ query: { 'metadata.tier': { $eq: 'gold' } }, then });

/** The same target under two names, the second of which is meant. */
const conditional = {
  strategy: { mode: 'conditional', conditions: [always('second')] },
  targets: [
    { ...good, name: 'first' },
    { ...good, name: 'second' },
  ],
};

const CASES: readonly (readonly [title: string, config: object, fellBack: readonly boolean[]])[] = [
  ['the first target of a fallback', fallback(good, good), [false]],
  ['the second target of a fallback', fallback(bad, good), [false, true]],
  ['the third target of a fallback', fallback(bad, bad, good), [false, true, true]],
  ['the target of a condition', conditional, [false]],
  [
    'the target that chance has chosen',
    { strategy: { mode: 'loadbalance' }, targets: [target('mock-fail-400', { weight: 0 }), good] },
    [false],
  ],
  [
    'a fallback below the first target',
    { strategy: { mode: 'single' }, targets: [fallback(bad, good)] },
    [false, true],
  ],
  ['a choice below the second target of a fallback', fallback(bad, conditional), [false, true]],
  [
    'the first target of a fallback behind a choice',
    {
      ...conditional,
      targets: [
        { ...good, name: 'first' },
        { ...fallback(good, bad), name: 'second' },
      ],
    },
    [false],
  ],
];

test.for(CASES)('a row says so of %s', async ([, config, fellBack]) => {
  const log = memoryLog();
  await using world = await startWorld({ requestLog: log, entries: (mock) => [account(mock, 'main', {})] });
  const { status } = await world.send('/v1/chat/completions', {
    headers: { 'x-gw-config': JSON.stringify(config), 'x-gw-metadata': JSON.stringify({ tier: 'gold' }) },
    body: { model: 'm', messages: [{ role: 'user', content: 'Hello' }] },
  });
  expect(status).toBe(200);
  await expectNothingLeft(world);
  await waitFor(() => log.records.some(({ row }) => row.is_final), { what: 'the final row' });
  const rows = log.records.map(({ row }) => row).toSorted((a, b) => a.attempt - b.attempt);
  expect(rows.map(({ fell_back }) => fell_back)).toEqual(fellBack);
  expect(rows.at(-1)).toMatchObject({ is_final: true, status: 200 });
});
