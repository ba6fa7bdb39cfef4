/** Argo CD's health checks, run by the interpreter of the Lua version that Argo CD embeds. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AnyKind, API_VERSION, GROUP, KINDS } from '@gatehouse/crds/kinds';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { run } from '../../scripts/machine/index.ts';

const ARGO = join(import.meta.dirname, '../../charts/argo');
const kinds: readonly AnyKind[] = Object.values(KINDS);
const scriptOf = (kind: string): string => join(ARGO, GROUP, kind, 'health.lua');

const condition = (type: string, status = 'True', message = type) => ({ type, status, reason: 'Pending', message });

/** Objects of generation 2 as they look in the course of their lives. */
const SAMPLES = [
  {
    rule: 'that is ready',
    status: { observedGeneration: 2, conditions: [condition('Accepted'), condition('Ready')] },
    want: 'Healthy',
  },
  { rule: 'that no controller has seen', status: undefined, want: 'Progressing' },
  {
    rule: 'that was ready a generation ago',
    status: { observedGeneration: 1, conditions: [condition('Ready')] },
    want: 'Progressing',
  },
  {
    rule: 'that is worked on',
    status: { observedGeneration: 2, conditions: [condition('Ready', 'Unknown'), condition('Reconciling')] },
    want: 'Progressing',
  },
  {
    rule: 'that is not ready yet',
    status: { observedGeneration: 2, conditions: [condition('Ready', 'False')] },
    want: 'Progressing',
  },
  {
    rule: 'whose status is empty',
    status: { observedGeneration: 2 },
    want: 'Progressing',
  },
  {
    rule: 'that needs a person',
    status: { observedGeneration: 2, conditions: [condition('Ready', 'False'), condition('Stalled')] },
    want: 'Degraded',
    message: 'Stalled',
  },
  {
    rule: 'that was stalled a generation ago',
    status: { observedGeneration: 1, conditions: [condition('Ready', 'False'), condition('Stalled')] },
    want: 'Progressing',
  },
  {
    rule: 'that rests',
    spec: { suspend: true },
    status: { observedGeneration: 1, conditions: [condition('Ready')] },
    want: 'Suspended',
  },
  {
    rule: 'that is going',
    metadata: { deletionTimestamp: '2027-01-01T00:00:00Z' },
    status: { observedGeneration: 2, conditions: [condition('Ready')] },
    want: 'Progressing',
  },
];

/** A value as Lua writes it. */
function toLua(value: unknown): string {
  if (Array.isArray(value)) return `{${value.map(toLua).join(', ')}}`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([key, member]) => `[${JSON.stringify(key)}] = ${toLua(member)}`).join(', ')}}`;
}

async function healthOf(script: string, object: unknown): Promise<{ status: string; message: string }> {
  const program = [
    `obj = ${toLua(object)}`,
    `local health = dofile(${JSON.stringify(script)})`,
    'io.write(health.status, "\\n", health.message)',
  ];
  const [status = '', message = ''] = (await run(['lua5.1', '-'], { input: program.join('\n') })).split('\n');
  return { status, message };
}

describe.for(kinds.map(({ kind }) => kind))('%s', (kind) => {
  test.for(SAMPLES)('$rule is $want', async ({ want, message, metadata, spec = {}, status }) => {
    const name = { name: 'sample', generation: 2, ...metadata };
    const health = await healthOf(scriptOf(kind), { apiVersion: API_VERSION, kind, metadata: name, spec, status });
    expect(health.status).toBe(want);
    if (message !== undefined) expect(health.message).toBe(message);
  });
});

test("the patch of Argo CD's ConfigMap has the script of every kind", () => {
  const { data } = parse(readFileSync(join(ARGO, 'argocd-cm.yaml'), 'utf8'));
  expect(Object.keys(data)).toEqual(kinds.map(({ kind }) => `resource.customizations.health.${GROUP}_${kind}`));
  for (const script of Object.values(data)) expect(script).toBe(readFileSync(join(ARGO, 'health.lua'), 'utf8'));
});
