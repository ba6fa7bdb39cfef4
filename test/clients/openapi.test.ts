/** The management API over a folder, asked by a program that knows its OpenAPI document alone. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitFor } from '../kit/wait-for.ts';
import { runSchemathesis } from './schemathesis.ts';
import { type Standalone, startStandalone } from './world.ts';

const ADMIN_KEY = 'gwk_admin_of_the_openapi_lane_0000000000';
const WORKSPACE = `apiVersion: gatehouse.dev/v1alpha1
kind: Workspace
metadata: { name: team-a }
spec: { namespace: team-a }
`;
/** Ends a run that hangs: some thousand calls of all operations, on a machine that may do other things. */
const HANGING_MS = 1_500_000;
const EXAMPLES = 10;

let folder: string;
let gateway: Standalone;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-openapi-'));
  const resources = join(folder, 'resources');
  await mkdir(resources);
  await writeFile(join(resources, 'team.yaml'), WORKSPACE);
  gateway = await startStandalone({
    ...{ resources, data: join(folder, 'data') },
    // With a log, for the gateway itself answers calls on the paths of the log that are no operations of the document.
    env: { GATEHOUSE_ADMIN_KEY: ADMIN_KEY, GATEHOUSE_LOGS: 'on' },
  });
  // The first call about people starts the database, which takes longer than the program waits on a busy machine.
  const headers = { authorization: `Bearer ${ADMIN_KEY}` };
  const people = async () => (await fetch(`${gateway.url}/v1/admin/users`, { headers })).status === 200;
  await waitFor(people, { what: 'the database' });
});

afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

test('every operation answers as the document says, whatever is sent', { timeout: HANGING_MS }, async () => {
  const report = await runSchemathesis({
    ...{ url: gateway.url, key: ADMIN_KEY, folder, examples: EXAMPLES, phases: ['coverage', 'fuzzing'] },
  });
  expect(report.code, report.output).toBe(0);
  expect(report.tested).toBe(report.operations);
  expect(report.generated).toBeGreaterThan(report.operations * EXAMPLES);
});
