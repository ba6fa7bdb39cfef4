import { type AnyEntry, entryId } from '@gatehouse/crds/snapshot';
import { type Entries, guardrail, organisation, provider, snapshot, workspace } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import { reveal } from '../lib/secret.ts';
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
  view.defaultHooks(team, phase).records.map(({ id }) => id);

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

  test('gets the credential of each check, again when only that has changed', async () => {
    const held = createSnapshotHolder({ providers: PROVIDERS });
    const checks = [
      { id: 'acme.scan', parameters: {}, credential: entryId('credential', 'team-a', 'acme') },
      { id: 'default.contains', parameters: { words: ['x'] } },
    ];
    const keyOf = () => held.current?.guardrail('team-a', 'scan')?.credentials.map((one) => one.fields?.get('apiKey'));
    for (const [version, apiKey] of ['first', 'second'].entries()) {
      await held.load(version + 1, snapshot(guardrail('scan', checks), provider('acme', { secret: { apiKey } })));
      const [own, none] = keyOf() ?? [];
      expect([reveal(own ?? ''), none]).toEqual([apiKey, undefined]);
    }
  });
});

test('parameters that may be secret are those of their entry, and are not shown', async () => {
  const held = createSnapshotHolder({ providers: PROVIDERS });
  const parametersFrom = entryId('credential', 'team-a', 'hidden');
  const stored = guardrail('call', [{ id: 'acme.call', parameters: {}, parametersFrom }]);
  const hidden = (text: string) => {
    const body = { fields: {}, parameters: { headers: text } };
    return { ...{ kind: 'credential', id: parametersFrom, workspace: 'team-a', generation: 1 }, digest: text, body };
  };
  for (const [version, text] of ['{"x-token":"first"}', '{"x-token":"second"}'].entries()) {
    await held.load(version + 1, snapshot(stored, hidden(text) as AnyEntry)); // kind and body fit
    const record = held.current?.guardrail('team-a', 'call');
    expect(reveal(record?.credentials[0]?.parameters?.get('headers') ?? '')).toBe(text);
    expect(JSON.stringify([...(record?.credentials[0]?.parameters ?? [])])).not.toContain('x-token');
  }
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
    expect(view.defaultHooks('team-a', 'input')).toEqual({ records: [], missing: ['pii', 'gone'], needsFleet: false });
  });

  test('are none for a workspace that is not served', async () => {
    const view = await viewOf(company, ...stored);
    expect(view.defaultHooks('nobody', 'input')).toEqual({ records: [], missing: [], needsFleet: false });
  });
});
