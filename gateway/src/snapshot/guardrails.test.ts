import { type AnyEntry, entryId } from '@gatehouse/crds/snapshot';
import { type Entries, guardrail, organisation, provider, snapshot, workspace } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import { runHooks } from '../guardrails/index.ts';
import { toolsOf } from '../guardrails/testing.ts';
import type { SideRequest } from '../providers/contract.ts';
import { PROVIDERS } from '../providers/register.ts';
import { createSnapshotHolder, type SnapshotView } from './index.ts';

const CHECKS = [{ id: 'default.contains', parameters: { words: ['x'], operator: 'none' } }];
const SHARED = { workspace: null };

async function viewOf(...entries: Entries): Promise<SnapshotView> {
  const held = createSnapshotHolder({ providers: PROVIDERS });
  await held.load(1, snapshot(...entries));
  if (held.current === undefined) throw new Error(held.status.rejected?.reason);
  return held.current;
}

const idsOf = (view: SnapshotView, team: string, phase: 'input' | 'output'): readonly string[] =>
  view.defaultHooks(team, phase).hooks.map(({ identity }) => identity.split(' ')[0] ?? '');

/** What a check sends when its guardrail runs. */
async function sentBy(view: SnapshotView | undefined, slug: string): Promise<Partial<SideRequest>> {
  const hook = view?.guardrail('team-a', slug)?.hook;
  if (hook === undefined) throw new Error('no guardrail');
  let sent: SideRequest | undefined;
  const facts = { ...FACTS, client: { header: () => undefined, headers: () => [] } };
  const tools = toolsOf({
    fetch: (request) => {
      sent = request;
      return Promise.reject(new Error('boom'));
    },
  });
  await runHooks([hook], facts, () => tools);
  return sent ?? {};
}

const FACTS = {
  phase: 'input',
  requestType: 'chatComplete',
  provider: 'openai',
  metadata: {},
  isStream: false,
  request: { messages: [{ role: 'user', content: 'hello' }] },
  response: undefined,
  responseStatus: undefined,
  traceId: 't',
} as const;

describe('a guardrail', () => {
  test('is found in the workspace before the organisation, and nowhere else', async () => {
    const view = await viewOf(
      workspace('team-a'),
      guardrail('both', CHECKS),
      guardrail('both', CHECKS, SHARED),
      guardrail('shared', CHECKS, SHARED),
      guardrail('other', CHECKS, { workspace: 'team-b' }),
    );
    const ids = ['both', 'shared', 'other'].map((slug) => view.guardrail('team-a', slug)?.id);
    expect(ids).toEqual(['guardrail/team-a/both', 'guardrail//shared', undefined]);
  });

  test('that the organisation names is its own, which no guardrail of a workspace replaces', async () => {
    const view = await viewOf(guardrail('both', CHECKS), guardrail('both', CHECKS, SHARED), guardrail('own', CHECKS));
    const ids = ['both', 'own'].map((slug) => view.guardrail('team-a', slug, 'organisation')?.id);
    expect(ids).toEqual(['guardrail//both', 'guardrail/team-a/own']);
  });

  test('is compiled with its actions, its version and the defaults of its parameters', async () => {
    const stored = guardrail('words', [{ id: 'default.contains', parameters: { words: ['x'] }, failOnError: true }], {
      ...{ version: 'v7', mode: 'monitor', message: 'no', window: 200, softDeny200: true, reach: REACH },
    });
    const hook = (await viewOf(stored)).guardrail('team-a', 'words')?.hook;
    expect(hook).toMatchObject({ id: 'words', versionId: 'v7', type: 'guardrail', deny: true, owner: 'config' });
    expect(hook).toMatchObject({ mode: 'monitor', message: 'no', window: 200, softDeny200: true, buffer: false });
    expect(hook?.checks).toMatchObject([{ entry: { id: 'default.contains' }, failOnError: true }]);
  });

  test('gets the credential of each check, again when only that has changed', async () => {
    const held = createSnapshotHolder({ providers: PROVIDERS });
    const checks = [{ id: 'lakera.guard', parameters: {}, credential: entryId('credential', 'team-a', 'acme') }];
    for (const [version, apiKey] of ['first', 'second'].entries()) {
      await held.load(version + 1, snapshot(guardrail('scan', checks), provider('acme', { secret: { apiKey } })));
      const { headers } = await sentBy(held.current, 'scan');
      expect(JSON.stringify(headers)).toContain(apiKey);
    }
  });

  test('gets the parameters that may be secret from their entry, again when only that has changed', async () => {
    const held = createSnapshotHolder({ providers: PROVIDERS });
    const parametersFrom = entryId('credential', 'team-a', 'hidden');
    const parameters = { webhookURL: 'https://hooks.example.com/check' };
    const stored = guardrail('call', [{ id: 'default.webhook', parameters, parametersFrom }]);
    const identities = new Set<string | undefined>();
    for (const [version, token] of ['first', 'second'].entries()) {
      await held.load(version + 1, snapshot(stored, secretEntry(parametersFrom, { headers: { 'x-token': token } })));
      expect((await sentBy(held.current, 'call')).headers).toMatchObject({ 'x-token': token });
      expect(JSON.stringify(held.current?.guardrail('team-a', 'call'))).not.toContain(token);
      identities.add(held.current?.guardrail('team-a', 'call')?.hook.identity);
    }
    expect(identities.size).toBe(2); // what one has left is not served to the other from the cache
  });

  test.for([
    {
      fault: 'an unknown check',
      check: { id: 'acme.scan', parameters: {} },
      reason: /checks\[0\]\.id: unknown check acme/,
    },
    { fault: 'parameters of another version', check: { id: 'default.contains', parameters: {} }, reason: /words/ },
  ])('with $fault is skipped with the reason, and others are served', async ({ check, reason }) => {
    const held = createSnapshotHolder({ providers: PROVIDERS });
    await held.load(1, snapshot(guardrail('bad', [check]), guardrail('good', CHECKS)));
    expect(held.current?.guardrail('team-a', 'bad')).toBeUndefined();
    expect(held.current?.guardrail('team-a', 'good')).toBeDefined();
    expect(held.status.skipped).toEqual([{ id: 'guardrail/team-a/bad', reason: expect.stringMatching(reason) }]);
  });

  test('whose credential stays with the fleet has no checks here, and says so', async () => {
    const check = { id: 'lakera.guard', parameters: {}, credential: entryId('credential', null, 'lakera') };
    const view = await viewOf(guardrail('scan', [check], { needsFleet: [check.credential] }));
    expect(view.guardrail('team-a', 'scan')?.hook).toMatchObject({ needsFleet: true, checks: [] });
  });
});

const REACH = { allowed: ['example.com'], services: [] };

function secretEntry(id: string, parameters: Readonly<Record<string, object>>): AnyEntry {
  const texts = Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, JSON.stringify(value)]));
  const body = { fields: {}, parameters: texts };
  return { kind: 'credential', id, workspace: 'team-a', generation: 1, digest: JSON.stringify(body), body };
}

describe('the hosts that the checks of a workspace may call', () => {
  const shared = entryId('credential', null, 'lakera');
  const own = entryId('credential', 'team-a', 'lakera');
  const lakera = { id: 'lakera.guard', parameters: {} };
  const webhook = { id: 'default.webhook', parameters: { webhookURL: 'http://hooks.tools.svc/check' } };
  test.for([
    { rule: 'are its reach with a credential of its own', checks: [{ ...lakera, credential: own }], scope: 'reach' },
    {
      rule: 'are those of the organisation with its credential',
      checks: [{ ...lakera, credential: shared }],
      scope: 'resource',
    },
    {
      rule: 'are its reach where a check beside it has a URL of its own',
      checks: [{ ...lakera, credential: shared }, webhook],
      scope: 'reach',
    },
    {
      rule: 'are its reach where a parameter is a URL',
      checks: [{ ...lakera, parameters: { forwardHeaders: [], projectID: 'http://a' }, credential: shared }],
      scope: 'reach',
    },
    {
      rule: 'are its reach for checks of URLs in texts',
      checks: [
        { ...lakera, credential: shared },
        { id: 'default.validUrls', parameters: {} },
      ],
      scope: 'reach',
    },
    { rule: 'are its reach without calls', checks: CHECKS, scope: 'reach' },
  ])('$rule', async ({ checks, scope }) => {
    const view = await viewOf(guardrail('scan', checks, { reach: REACH }));
    const found = view.guardrail('team-a', 'scan')?.hook.scope;
    expect(typeof found === 'object' ? 'reach' : found).toBe(scope);
  });
});

describe('the default guardrails of a workspace', () => {
  const named = { inputGuardrails: ['pii', 'own'], outputGuardrails: ['own'] };
  const company = organisation({ inputGuardrails: ['pii'], outputGuardrails: ['pii', 'tone'] });
  const stored = [
    guardrail('pii', CHECKS, SHARED),
    guardrail('tone', CHECKS, SHARED),
    guardrail('own', CHECKS),
    guardrail('pii', CHECKS),
  ];

  test('are those of the organisation, which no guardrail of the workspace replaces, then its own', async () => {
    const view = await viewOf(company, workspace('team-a', { defaults: named }), ...stored);
    expect(idsOf(view, 'team-a', 'input')).toEqual(['guardrail//pii', 'guardrail/team-a/pii', 'guardrail/team-a/own']);
    expect(idsOf(view, 'team-a', 'output')).toEqual(['guardrail//pii', 'guardrail//tone', 'guardrail/team-a/own']);
    expect(view.defaultHooks('team-a', 'input').hooks.map(({ owner }) => owner)).toEqual([
      'organisation',
      'workspace',
      'workspace',
    ]);
    expect(view.defaultHooks('team-a', 'input')).toBe(view.defaultHooks('team-a', 'input'));
  });

  test.for([
    { phase: 'input', exemption: { exemptInputGuardrails: true as const } },
    { phase: 'output', exemption: { exemptOutputGuardrails: true as const } },
  ] as const)('of the phase $phase leave out those of the organisation for an exempt workspace', async (row) => {
    const view = await viewOf(company, workspace('team-a', row.exemption), ...stored);
    const other = row.phase === 'input' ? 'output' : 'input';
    expect(idsOf(view, 'team-a', row.phase)).toEqual([]);
    expect(idsOf(view, 'team-a', other)).not.toEqual([]);
  });

  test('say which of them do not exist', async () => {
    const view = await viewOf(company, workspace('team-a', { defaults: { inputGuardrails: ['gone'] } }));
    expect(view.defaultHooks('team-a', 'input')).toEqual({ hooks: [], missing: ['pii', 'gone'], needsFleet: false });
  });

  test('are none for a workspace that is not served', async () => {
    const view = await viewOf(company, ...stored);
    expect(view.defaultHooks('nobody', 'input')).toEqual({ hooks: [], missing: [], needsFleet: false });
  });
});
