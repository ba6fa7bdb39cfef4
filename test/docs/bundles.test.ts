/** What the programs bring along: a bundle with more than its program needs is slower to start and has more to attack. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleModules } from '../../images/bundle.ts';
import { type ProgramName, packagesOf } from '../../images/index.ts';
import { ROOT } from './documents.ts';

let folder: string;
const modules = new Map<ProgramName, readonly string[]>();
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-bundles-'));
  for (const name of ['gateway', 'operator', 'standalone'] as const) {
    modules.set(name, await bundleModules(name, join(folder, `${name}.js`)));
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

const kubernetesIn = (name: ProgramName): readonly string[] =>
  packagesOf(modules.get(name) ?? []).filter((path) => path.includes('node_modules/@kubernetes/'));
const sourcesIn = (name: ProgramName): readonly string[] =>
  (modules.get(name) ?? []).filter((path) => path.startsWith(ROOT)).map((path) => path.slice(ROOT.length));

test('gateway and standalone contain no client of the Kubernetes API, as the operator does', () => {
  expect(kubernetesIn('operator')).not.toEqual([]);
  expect(kubernetesIn('gateway')).toEqual([]);
  expect(kubernetesIn('standalone')).toEqual([]);
});

test('gateway and operator contain no code of each other, and no bundle contains test code', () => {
  expect(sourcesIn('gateway').filter((path) => /^(operator|standalone|test)\//.test(path))).toEqual([]);
  expect(sourcesIn('operator').filter((path) => /^(gateway|standalone|test)\//.test(path))).toEqual([]);
  expect(sourcesIn('standalone').filter((path) => /^test\/|\.test\.ts$/.test(path))).toEqual([]);
});

test('the gateway contains no schema of a resource and of no operation of the management API', () => {
  const inBundle = sourcesIn('gateway').filter((path) => /^crds\/src\/(kinds|records|rest)\//.test(path));
  // What a gateway asks before it passes a call on, and the names of scopes.
  const known =
    /^crds\/src\/rest\/(errors|index|operation|operation-scopes\.generated|scim-errors|scopes-of|session-cookies)\.ts$/;
  expect(inBundle.filter((path) => !known.test(path))).toEqual([]);
});
