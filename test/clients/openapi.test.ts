/**
 * The management API asked by a program that makes its calls from the API's own OpenAPI document, valid ones and others: no answer is an
 * error of the server, and each has a status, a content type and a body that the document names.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { capture } from '../../scripts/machine/index.ts';
import { pythonOf } from './install.ts';
import { type Standalone, startStandalone } from './world.ts';

const ADMIN_KEY = 'gwk_admin_of_the_openapi_lane_0000000000';
const WORKSPACE = `apiVersion: gatehouse.dev/v1alpha1
kind: Workspace
metadata: { name: team-a }
spec: { namespace: team-a }
`;
/** Ends a run that hangs: some thousand calls of all operations, on a machine that may do other things. */
const HANGING_MS = 1_500_000;
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
];

let folder: string;
let gateway: Standalone;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-openapi-'));
  const resources = join(folder, 'resources');
  await mkdir(resources);
  await writeFile(join(resources, 'team.yaml'), WORKSPACE);
  gateway = await startStandalone({
    ...{ resources, data: join(folder, 'data') },
    env: { GATEHOUSE_ADMIN_KEY: ADMIN_KEY },
  });
});

afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

test('every operation answers as the document says, whatever is sent', { timeout: HANGING_MS }, async () => {
  const authorization = `Bearer ${ADMIN_KEY}`;
  const answer = await fetch(`${gateway.url}/v1/openapi.json`, { headers: { authorization } });
  const document = await answer.text();
  const path = join(folder, 'openapi.json');
  await writeFile(path, document);
  const operations = Object.values<object>(JSON.parse(document).paths).flatMap(Object.keys).length;

  const { code, stdout, stderr } = await capture(
    [
      ...[pythonOf('schemathesis'), '-m', 'schemathesis.cli', 'run', path, '--url', `${gateway.url}/v1`],
      ...['-H', `authorization: ${authorization}`, '--checks', CHECKS.join(), '--phases', 'coverage,fuzzing'],
      ...['--max-examples', '10', '--seed', '1', '--generation-database', 'none', '--no-color', '--warnings', 'off'],
    ],
    { cwd: folder, env: { PATH: process.env['PATH'], HOME: folder, PYTHONDONTWRITEBYTECODE: '1' } },
  );
  expect(code, `${stdout.slice(-8_000)}\n${stderr.slice(-2_000)}`).toBe(0);
  expect(stdout).toContain(`Tested: ${operations}`);
  expect(Number(/(\d+) generated/.exec(stdout)?.[1])).toBeGreaterThan(operations * 10);
});
