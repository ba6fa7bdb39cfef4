/** Resources without their Secrets, as an installation exports them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { API, type Installation, openInstallation } from './objects/testing.ts';
import { runInTest } from './testing.ts';

let own: Installation;
beforeAll(async () => {
  own = await openInstallation();
});
afterAll(() => own?.[Symbol.asyncDispose]());

test('what an installation exports is enough with its Workspace, without Secrets', async () => {
  expect((await own.applyAll()).status).toBe(0);
  const folder = own.pathOf('exported');
  const exported = await own.run('export', 'virtualkey', 'guardrail', 'gatewayconfig', '-o', folder, '-n', 'team-a');
  expect([exported.status, exported.err]).toEqual([0, expect.any(String)]);
  const workspace = `${API}\nkind: Workspace\nmetadata: { name: team-a }\nspec: { namespace: team-a }\n`;
  own.files.write('exported/workspace.yaml', workspace);
  const ran = await runInTest(['re-rate', '--since', '1h', '--resources', folder, '--data', own.pathOf('none')], {});
  expect([ran.status, ran.err]).toEqual([1, expect.stringContaining('no request log')]);
});
