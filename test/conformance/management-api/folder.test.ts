import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startStandalone } from '../../clients/world.ts';
import { describeManagementApi, type ManagementWorld } from './suite.ts';

const ADMIN_KEY = 'gwk_admin_of_the_contract_00000000000000';
const WORKSPACE = `apiVersion: gatehouse.dev/v1alpha1
kind: Workspace
metadata: { name: team-a }
spec: { namespace: team-a }
`;

/** A standalone process over a folder. */
async function openFolder(): Promise<ManagementWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-contract-'));
  const resources = join(folder, 'resources');
  await mkdir(resources);
  await writeFile(join(resources, 'team.yaml'), WORKSPACE);
  const process = await startStandalone({
    ...{ resources, data: join(folder, 'data') },
    env: { GATEHOUSE_ADMIN_KEY: ADMIN_KEY },
  });
  return {
    ...{ url: process.url, key: ADMIN_KEY, workspace: 'team-a' },
    makeNamespace: async () => undefined, // in a folder a namespace is a name
    [Symbol.asyncDispose]: async () => {
      await process[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

describeManagementApi('a folder', openFolder);
