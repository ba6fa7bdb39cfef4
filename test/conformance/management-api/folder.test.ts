import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
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
    env: { GATEHOUSE_ADMIN_KEY: ADMIN_KEY, GATEHOUSE_LOGS: 'on' },
  });
  return {
    ...{ url: process.url, key: ADMIN_KEY, workspace: 'team-a', spare: 'team-b' },
    settled: async () => undefined, // one process
    texts: async () => {
      const files = await readAll(folder);
      const isSecret = (path: string) => path.includes('/secret/');
      return {
        secrets: files.flatMap(({ path, text }) => (isSecret(path) ? [text] : [])).join('\n'),
        others: [process.printed(), ...files.flatMap(({ path, text }) => (isSecret(path) ? [] : [text]))],
      };
    },
    [Symbol.asyncDispose]: async () => {
      await process[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Of the resources and of the database, whose files are no text. */
async function readAll(folder: string): Promise<readonly { readonly path: string; readonly text: string }[]> {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  return Promise.all(
    files.map(async ({ parentPath, name }) => {
      const path = join(parentPath, name);
      return { path, text: await readFile(path, 'latin1') };
    }),
  );
}

describeManagementApi('a folder', openFolder);
