/** Our resources under kubectl: applied twice, and explained. */
import { readdirSync, readFileSync } from 'node:fs';
import { examplesOf } from '@gatehouse/crds/gen';
import { type AnyKind, KINDS } from '@gatehouse/crds/kinds';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { type ControlPlaneAccess, runKubectl, sharedControlPlane } from './index.ts';

interface Thing {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

let cluster: ControlPlaneAccess;
let namespace: string;
beforeAll(async () => {
  cluster = sharedControlPlane();
  namespace = await cluster.createNamespace();
});
afterAll(() => cluster[Symbol.asyncDispose]());

const kinds: readonly AnyKind[] = Object.values(KINDS);
const samples = kinds
  .filter(({ scope }) => scope === 'Namespaced')
  .flatMap((kind) => examplesOf(kind).filter(({ valid }) => valid))
  .map(({ name, object }) => ({ name, thing: object as Thing })); // a valid example has a name

const TEAM = new URL('../../examples/team-a/', import.meta.url);
const shipped = readdirSync(TEAM, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.yaml'))
  .flatMap((file) => parseAllDocuments(readFileSync(new URL(file, TEAM), 'utf8')))
  .map((document) => document.toJS() as Thing) // as above
  .filter((thing) => thing.metadata?.namespace !== undefined);

const apply = (things: readonly Thing[]) => {
  const items = things.map((thing) => ({ ...thing, metadata: { ...thing.metadata, namespace } }));
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  return runKubectl(cluster, ['apply', '-f', '-'], { input });
};
const outcomesOf = (printed: string): string[] =>
  printed
    .trim()
    .split('\n')
    .filter((line) => !/ (created|unchanged)$/.test(line));

describe('a second kubectl apply changes nothing', () => {
  test.for(samples)('of the example $thing.kind $name', async ({ name, thing }) => {
    const sample = { ...thing, metadata: { name: `${thing.metadata.name}-${name}`.slice(0, 40).replace(/-$/, '') } };
    await apply([sample]);
    expect(outcomesOf(await apply([sample]))).toEqual([]);
    const path = [`${sample.kind}/${sample.metadata.name}`, '-n', namespace];
    expect(await runKubectl(cluster, ['get', ...path, '-o', 'jsonpath={.metadata.generation}'])).toBe('1');
  });

  test('of the resources that we ship', async () => {
    expect(shipped.length).toBeGreaterThan(5);
    await apply(shipped);
    expect(outcomesOf(await apply(shipped))).toEqual([]);
  });
});

describe('kubectl explain', () => {
  test.for([
    { field: 'apikey.spec.alertEmails', text: 'Refused: e-mails are not part of this version.' },
    { field: 'ratelimitpolicy.spec.target', text: 'The value mcp_tools is refused' },
    { field: 'gatewayconfig.spec.config.targets.cache.mode', text: 'The value semantic is refused' },
  ])('says that $field is refused', async ({ field, text }) => {
    const printed = await runKubectl(cluster, ['explain', field, '--api-version=gatehouse.dev/v1alpha1']);
    expect(printed.replaceAll(/\s+/g, ' ')).toContain(text);
  });
});
