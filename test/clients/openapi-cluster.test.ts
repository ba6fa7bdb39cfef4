/** The management API over an API server, asked by a program that knows its OpenAPI document alone. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ClusterWorld, openCluster } from '../operator/management/world.ts';
import { runSchemathesis } from './schemathesis.ts';

/** Ends a run that hangs: some hundred calls, on a machine that may do other things. */
const HANGING_MS = 900_000;
/** Few: each write is one of an API server, and what bodies may be like is tried over a folder. */
const EXAMPLES = 4;

let folder: string;
let world: ClusterWorld;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-openapi-'));
  world = await openCluster();
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

test('every operation answers as the document says, whatever is sent', { timeout: HANGING_MS }, async () => {
  const { url, key, ca, fetch } = world;
  const report = await runSchemathesis({
    ...{ url, key, ca, folder, examples: EXAMPLES, phases: ['fuzzing'] },
    ...(fetch === undefined ? {} : { fetch }),
  });
  expect(report.code, report.output).toBe(0);
  expect(report.tested).toBe(report.operations);
  expect(report.generated).toBeGreaterThan(report.operations);
});
