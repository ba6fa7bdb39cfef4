/** What autoscalers ask for is what gateways export and what the adapter's rules in the guide pick. */

import { readFileSync } from 'node:fs';
import { GAUGES } from '@gatehouse/gateway';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { SCALING_METRICS } from '../../operator/src/kinds/gateway-fleet/index.ts';
import { blocksOf, ROOT } from './documents.ts';

interface Rule {
  readonly seriesQuery: string;
  readonly name: { readonly matches: string; readonly as: string };
}

test('the metrics of autoscalers are gauges of the gateway, and the rules for the adapter serve them under their names', () => {
  const wanted: readonly string[] = Object.values(SCALING_METRICS);
  expect(Object.values(GAUGES).map(({ name }) => name)).toEqual(expect.arrayContaining([...wanted]));
  const block = blocksOf('docs/guide/autoscaling.md').find(({ text }) => text.includes('seriesQuery'));
  const { rules } = parse(block?.text ?? '') as { rules: { custom: readonly Rule[] } }; // the block that was found
  const [rule] = rules.custom;
  const [, pattern = ''] = /__name__=~"([^"]+)"/.exec(rule?.seriesQuery ?? '') ?? [];
  for (const name of wanted) {
    expect(name).toMatch(new RegExp(pattern));
    expect(name.replace(new RegExp(rule?.name.matches ?? ''), rule?.name.as ?? '')).toBe(name);
  }
});

test('the target of open streams counts the answers that its metric counts, wherever it is described', () => {
  const [, counted = 'no answers'] = GAUGES.openStreams.help.split(': ');
  for (const page of ['docs/reference/kinds/gateway-fleet.md', 'docs/guide/autoscaling.md']) {
    const row = readFileSync(`${ROOT}${page}`, 'utf8')
      .split('\n')
      .find((line) => line.startsWith('|') && line.includes('targetOpenStreams'));
    expect(row, page).toContain(counted);
  }
});
