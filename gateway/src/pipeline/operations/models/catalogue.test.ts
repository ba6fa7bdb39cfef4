import { config, fakeRequest, provider, workspace } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import { compilePlan } from '../../../routing/index.ts';
import type { Caller, Exchange } from '../../exchange.ts';
import type { Resolution } from '../../resolve/index.ts';
import { viewOf } from '../../testing.ts';
import { OPERATIONS } from '../index.ts';
import type { LocalPorts, WholeAnswer } from '../operation.ts';
import { answerFromCatalogue } from './catalogue.ts';

const world = await viewOf(
  workspace(),
  provider('a', { models: ['m1', 'm2'] }),
  provider('b', { provider: 'anthropic', models: ['m3'] }),
  provider('unlisted'),
  provider('shared', { workspace: null, grants: ['*'], models: ['m4'] }),
  provider('secret', { workspace: null, grants: ['team-b'], models: ['m5'] }),
  config('breaking', {
    strategy: { mode: 'fallback', cb_config: { failure_threshold: 1, cooldown_interval: 30_000 } },
    targets: [{ provider: '@a' }, { provider: '@b' }],
  }),
);

const caller = { workspace: { name: 'team-a' } } as unknown as Caller; // only these members are used
const PLAIN = compilePlan({}, { saved: undefined, credential: () => undefined });
const savedPlan = world.config('team-a', 'breaking')?.plan;
if (savedPlan === undefined) throw new Error('no plan');

interface Asked {
  readonly headers?: Readonly<Record<string, string>>;
  readonly operation?: keyof typeof OPERATIONS;
  readonly resolution?: Partial<Resolution>;
}
const ask = ({ headers = {}, operation = 'listModels', resolution = {} }: Asked) => ({
  exchange: {
    operation: OPERATIONS[operation],
    request: fakeRequest({ headers }),
    snapshot: world,
  } as unknown as Exchange, // only these members are used
  caller,
  resolution: { plan: PLAIN, requestProvider: undefined, ...resolution } as unknown as Resolution, // as above
});
const named = (slug: string): Partial<Resolution> => {
  const record = world.provider('team-a', slug);
  if (record === undefined) throw new Error(`no provider ${slug}`);
  return { requestProvider: { kind: 'managed', record } };
};
const FORCE = { 'x-gw-fetch-integrated-models': ' True' };

/** What providers have listed so far. */
const listedBy = (lists: Readonly<Record<string, readonly string[]>> = {}): LocalPorts => ({
  accountModels: { of: ({ slug }) => lists[slug] ?? [], prepare: () => undefined },
  ownResources: {
    answer: () => Promise.reject(new Error('lists of models are no resources')),
    content: () => Promise.reject(new Error('lists of models have no content')),
  },
  ingest: { answer: () => Promise.reject(new Error('lists of models are no records')) },
});

function catalogue(asked: Asked, lists?: Readonly<Record<string, readonly string[]>>): WholeAnswer {
  const answer = answerFromCatalogue(ask(asked), listedBy(lists));
  if (answer instanceof Promise) throw new Error('there is nothing to wait for');
  if (answer === undefined) throw new Error('the catalogue leaves it to a provider');
  return answer;
}

describe('the catalogue', () => {
  test.for<{ rule: string; asked: Asked; want: boolean }>([
    { rule: 'answers when nothing names a provider', asked: {}, want: true },
    { rule: 'leaves it to the provider that is named', asked: { resolution: named('a') }, want: false },
    { rule: 'leaves it to the config that names one', asked: { resolution: { plan: savedPlan } }, want: false },
    { rule: 'answers when it is asked for', asked: { headers: FORCE, resolution: named('a') }, want: true },
    {
      rule: 'answers when the config asks for it',
      asked: { resolution: { plan: { ...savedPlan, fetchIntegratedModels: true } } },
      want: true,
    },
    { rule: 'answers nothing else', asked: { operation: 'chatComplete', headers: FORCE }, want: false },
  ])('$rule', ({ asked, want }) => {
    expect(OPERATIONS[asked.operation ?? 'listModels'].answerLocally?.(ask(asked), listedBy()) !== undefined).toBe(
      want,
    );
  });

  test.for<{ rule: string; asked: Asked; want: string[] }>([
    { rule: 'lists what the workspace may use', asked: {}, want: ['@a/m1', '@a/m2', '@b/m3', '@shared/m4'] },
    {
      rule: 'lists only the provider that is named',
      asked: { headers: FORCE, resolution: named('b') },
      want: ['@b/m3'],
    },
    {
      rule: 'lists only those of the config',
      asked: { headers: FORCE, resolution: { plan: savedPlan } },
      want: ['@a/m1', '@a/m2', '@b/m3'],
    },
    {
      rule: 'lists everything when a target of the config may be any',
      asked: { headers: FORCE, resolution: { plan: { ...savedPlan, hasPassthrough: true } } },
      want: ['@a/m1', '@a/m2', '@b/m3', '@shared/m4'],
    },
    { rule: 'may be empty', asked: { headers: FORCE, resolution: named('unlisted') }, want: [] },
  ])('$rule', ({ asked, want }) => {
    const { headers, bytes } = catalogue(asked);
    const body = JSON.parse(bytes.toString());
    expect(headers).toEqual({ 'content-type': 'application/json' });
    expect(body).toMatchObject({ object: 'list', total: want.length });
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual(want);
  });

  test('has what its provider lists for an account without a list of its own', () => {
    const lists = { unlisted: ['m6', 'm7'], b: ['never asked for'] };
    const { bytes } = catalogue({}, lists);
    const ids = JSON.parse(bytes.toString()).data.map(({ id }: { id: string }) => id);
    expect(ids).toEqual(['@a/m1', '@a/m2', '@b/m3', '@unlisted/m6', '@unlisted/m7', '@shared/m4']);
  });

  test('has the format of Anthropic for its clients', () => {
    const { bytes } = catalogue({ headers: { ...FORCE, 'anthropic-version': '2023-06-01' }, resolution: named('b') });
    expect(JSON.parse(bytes.toString())).toMatchObject({
      data: [{ type: 'model', id: '@b/m3', display_name: '@b/m3', created_at: '1970-01-01T00:00:00Z' }],
      has_more: false,
    });
  });

  test('says which model, of whom', () => {
    const { bytes } = catalogue({ headers: FORCE, resolution: named('b') });
    expect(JSON.parse(bytes.toString()).data).toEqual([
      { id: '@b/m3', slug: 'm3', object: 'model', created: 0, owned_by: 'anthropic' },
    ]);
  });
});
