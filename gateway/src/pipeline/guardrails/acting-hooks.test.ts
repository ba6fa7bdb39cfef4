import type { AnyEntry } from '@gatehouse/crds/snapshot';
import { guardrail, organisation, workspace } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import type { CompiledHook, RequestType } from '../../guardrails/index.ts';
import { compilePlan, type Leaf } from '../../routing/index.ts';
import type { SnapshotView } from '../../snapshot/index.ts';
import { viewOf } from '../testing.ts';
import { actingHooks } from './acting-hooks.ts';
import { type GuardedRequest, guardrailsNeedFleet, refuseUnknownGuardrails } from './index.ts';

const CHECKS = [{ id: 'default.contains', parameters: { words: ['x'] } }];
const SHARED = { workspace: null };
const WORDS = { contains: { words: ['x'] } };
const FLEET = { needsFleet: ['credential//acme'] };

interface Given {
  readonly team?: string;
  readonly checkedAs?: RequestType | undefined;
  /** Whose config it is; absent: that of the request. */
  readonly workspace?: string | null | undefined;
}

function asking(snapshot: SnapshotView, node: object, given: Given = {}): { request: GuardedRequest; leaf: Leaf } {
  const { team = 'team-a', checkedAs = 'chatComplete', workspace } = given;
  const saved = workspace === undefined ? undefined : { slug: 's', version: '1', workspace };
  const plan = compilePlan({ provider: '@a', ...node }, { saved, credential: () => undefined });
  if (plan.root.kind !== 'leaf') throw new Error('a plan of one target');
  const operation = 'checkedAs' in given && given.checkedAs === undefined ? {} : { checkedAs };
  const call = { method: 'POST', path: '/v1/chat/completions' };
  const request = {
    exchange: { snapshot, operation, request: call },
    caller: { workspace: { name: team } },
    resolution: { plan },
  };
  return { request, leaf: plan.root };
}

async function hooksOf(entries: readonly AnyEntry[], node: object, given?: Given) {
  const { request, leaf } = asking(await viewOf(workspace('team-a'), workspace('team-b'), ...entries), node, given);
  return actingHooks(request, leaf);
}
const identities = (hooks: readonly CompiledHook[] = []) => hooks.map(({ identity }) => identity.split(' ')[0]);

describe('the hooks of a target', () => {
  const company = organisation({ inputGuardrails: ['pii'] });

  test('are those of its config, then those that apply by default, which say whose they are', async () => {
    const stored = [company, guardrail('pii', CHECKS, SHARED), guardrail('tone', CHECKS)];
    const hooks = await hooksOf(stored, { inputGuardrails: ['tone', WORDS], outputGuardrails: ['tone'] });
    expect(hooks?.input.map(({ id, owner }) => [id, owner])).toEqual([
      ['tone', 'config'],
      ['input_guardrail_2', 'config'],
      ['pii', 'organisation'],
    ]);
    expect(hooks).toMatchObject({ checkedAs: 'chatComplete', watchedInput: [], watchedOutput: [] });
    expect(hooks?.output.map(({ id }) => id)).toEqual(['tone']);
  });

  test('are made once for a workspace, a target and a kind of request', async () => {
    const view = await viewOf(workspace('team-a'), workspace('team-b'), company, guardrail('pii', CHECKS, SHARED));
    const { request, leaf } = asking(view, {});
    const other = asking(view, {}, { team: 'team-b' }).request;
    expect(actingHooks(request, leaf)).toBe(actingHooks(request, leaf));
    expect(actingHooks(other, leaf)).not.toBe(actingHooks(request, leaf));
  });

  test.for<{ rule: string; node: object; given?: Given }>([
    { rule: 'nothing checks the request', node: {} },
    { rule: 'the operation is not checked', node: { inputGuardrails: [WORDS] }, given: { checkedAs: undefined } },
    {
      rule: 'embeddings have hooks of answers alone',
      node: { outputGuardrails: [WORDS] },
      given: { checkedAs: 'embed' },
    },
    { rule: 'embeddings have mutators alone', node: { inputMutators: [WORDS] }, given: { checkedAs: 'embed' } },
    { rule: 'mutators are asynchronous', node: { inputMutators: [{ ...WORDS, async: true }] } },
  ])('are none where $rule', async ({ node, given }) => {
    expect(await hooksOf([], node, given)).toBeUndefined();
  });

  test.for(['createBatch', 'createFinetune', 'proxy'] as const)('are none on the answers to %s', async (checkedAs) => {
    const types = { 'default.allowedRequestTypes': { blockedTypes: ['proxy'] } };
    const hooks = await hooksOf([], { inputGuardrails: [types], outputGuardrails: [WORDS, types] }, { checkedAs });
    expect(hooks).toMatchObject({ input: [{ id: 'input_guardrail_1' }], output: [], watchedOutput: [], cacheSalt: '' });
  });

  test('have, on proxied calls, the checks alone that look at types of requests', async () => {
    const types = { 'default.allowedRequestTypes': { blockedTypes: ['proxy'] } };
    const node = { inputGuardrails: [WORDS, { ...types, ...WORDS }], inputMutators: [WORDS] };
    const hooks = await hooksOf([], node, { checkedAs: 'proxy' });
    expect(hooks?.input.map(({ id, checks }) => [id, checks.map(({ entry }) => entry.id)])).toEqual([
      ['input_guardrail_2', ['default.allowedRequestTypes']],
    ]);
    expect(await hooksOf([], { inputGuardrails: [WORDS] }, { checkedAs: 'proxy' })).toBeUndefined();
  });

  test('that are asynchronous or in mode monitor only watch', async () => {
    const watching = [
      { ...WORDS, async: true },
      { ...WORDS, mode: 'monitor', deny: true },
    ];
    const hooks = await hooksOf([], { inputGuardrails: [...watching, WORDS], outputGuardrails: watching });
    const counts = [hooks?.input, hooks?.watchedInput, hooks?.output, hooks?.watchedOutput].map((list) => list?.length);
    expect(counts).toEqual([1, 2, 0, 2]);
    expect(hooks?.cacheSalt).toBe('');
  });

  test('have the actions that the config sets instead of those of the stored guardrail', async () => {
    const hooks = await hooksOf([guardrail('pii', CHECKS)], {
      inputGuardrails: [{ id: 'pii', deny: false, mode: 'monitor' }],
    });
    expect(hooks?.watchedInput).toMatchObject([{ id: 'pii', deny: false, mode: 'monitor' }]);
  });
});

describe('a slug', () => {
  const both = [guardrail('pii', CHECKS), guardrail('pii', CHECKS, SHARED)];
  test.for([
    { author: 'of a request', workspace: undefined, want: 'guardrail/team-a/pii' },
    { author: 'of the workspace', workspace: 'team-a', want: 'guardrail/team-a/pii' },
    { author: 'of the organisation', workspace: null, want: 'guardrail//pii' },
  ])('in a config $author means $want', async ({ workspace, want }) => {
    const hooks = await hooksOf(both, { inputGuardrails: ['pii'] }, { workspace });
    expect(identities(hooks?.input)).toEqual([want]);
  });

  test('of another workspace is unknown', async () => {
    const view = await viewOf(workspace('team-a'), guardrail('theirs', CHECKS, { workspace: 'team-b' }));
    const { request, leaf } = asking(view, { inputGuardrails: ['theirs'] });
    expect(() => actingHooks(request, leaf)).toThrow(expect.objectContaining({ code: 'GUARDRAIL_UNKNOWN' }));
    expect(() => refuseUnknownGuardrails(request)).toThrow(/theirs/);
  });
});

describe('the salt of cache keys', () => {
  const saltOf = async (entries: readonly AnyEntry[], output: readonly unknown[]) =>
    (await hooksOf(entries, { outputGuardrails: output, inputGuardrails: [WORDS] }))?.cacheSalt;

  test('is empty without hooks of answers, and the same for the same hooks', async () => {
    expect(await saltOf([], [])).toBe('');
    expect(await saltOf([], [WORDS])).toBe(await saltOf([], [WORDS]));
  });

  test.for<{ difference: string; one: readonly unknown[]; other: readonly unknown[] }>([
    { difference: 'a parameter', one: [WORDS], other: [{ contains: { words: ['y'] } }] },
    { difference: 'an action', one: [WORDS], other: [{ ...WORDS, deny: true }] },
    { difference: 'what a config sets', one: ['pii'], other: [{ id: 'pii', deny: false }] },
    { difference: 'a stored guardrail', one: ['pii'], other: ['tone'] },
    { difference: 'the number of hooks', one: [WORDS], other: [WORDS, WORDS] },
  ])('differs with $difference', async ({ one, other }) => {
    const stored = [guardrail('pii', CHECKS), guardrail('tone', CHECKS)];
    expect(await saltOf(stored, one)).not.toBe(await saltOf(stored, other));
  });

  test('differs with the version of a stored guardrail', async () => {
    const salts = ['1', '2'].map((version) => saltOf([guardrail('pii', CHECKS, { version })], ['pii']));
    const [first, second] = await Promise.all(salts);
    expect(first).not.toBe(second);
  });
});

describe('what cannot run is refused', () => {
  test('more hooks or checks than a request may have', async () => {
    const slugs = Array.from({ length: 128 }, (_, i) => `g${i}`);
    const stored = slugs.map((slug) => guardrail(slug, CHECKS));
    const defaults = workspace('team-a', { defaults: { inputGuardrails: slugs } });
    const view = await viewOf(defaults, ...stored);
    const full = asking(view, {});
    expect(actingHooks(full.request, full.leaf)?.input).toHaveLength(128);
    const { request, leaf } = asking(view, { inputGuardrails: [WORDS] });
    expect(() => actingHooks(request, leaf)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    const many = guardrail('many', Array.from({ length: 64 }, () => CHECKS).flat());
    const nine = asking(await viewOf(workspace('team-a'), many), {
      inputGuardrails: Array.from({ length: 9 }, () => 'many'),
    });
    expect(() => actingHooks(nine.request, nine.leaf)).toThrow(/576 checks/);
  });

  test.for([
    { by: 'the config', node: { inputGuardrails: ['scan'] }, defaults: {} },
    { by: 'the workspace', node: {}, defaults: { outputGuardrails: ['scan'] } },
  ])('a guardrail named by $by whose credential stays with the fleet', async ({ node, defaults }) => {
    const view = await viewOf(workspace('team-a', { defaults }), guardrail('scan', CHECKS, FLEET));
    const { request, leaf } = asking(view, node);
    expect(guardrailsNeedFleet(request)).toBe(true);
    expect(() => actingHooks(request, leaf)).toThrow(expect.objectContaining({ code: 'NEEDS_FLEET' }));
    expect(guardrailsNeedFleet(asking(view, node, { checkedAs: undefined }).request)).toBe(false);
  });
});
