import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_TARGET_CAPS } from '@gatehouse/crds/config';
import { parse, stringify } from 'yaml';
import { createFolderStore } from '../../../standalone/src/folder-store/index.ts';
import { createResourceFolder } from '../../../standalone/src/resource-folder/index.ts';
import { tempFolder } from '../../../standalone/src/testing/index.ts';
import { describeStore, type OpenedStore } from './suite.ts';

const workspace = (name: string): string =>
  `apiVersion: gatehouse.dev/v1alpha1\nkind: Workspace\nmetadata: { name: ${name} }\nspec: { namespace: ${name} }\n`;

async function openFolderStore(): Promise<OpenedStore> {
  const temp = tempFolder({ 'workspaces.yaml': `${workspace('team-a')}---\n${workspace('team-b')}` });
  const folder = createResourceFolder([temp.path], {
    variables: {},
    caps: DEFAULT_TARGET_CAPS,
    now: () => performance.now(),
  });
  await folder.refresh();
  return {
    store: createFolderStore({ root: temp.path, folder, now: Date.now }),
    namespaces: ['team-a', 'team-b'],
    secret: async (name) => {
      const file = join(temp.path, 'team-a', 'secret', `${name}.yaml`);
      return existsSync(file) ? parse(readFileSync(file, 'utf8')).stringData : undefined;
    },
    makeSecret: async (name, entries, belongsTo) => {
      const annotations = belongsTo === undefined ? {} : { 'gatehouse.dev/belongs-to': belongsTo };
      const metadata = { name, namespace: 'team-a', annotations };
      const secret = { apiVersion: 'v1', kind: 'Secret', metadata, stringData: entries };
      await folder.refresh(new Set([temp.write(`team-a/secret/${name}.yaml`, stringify(secret))]));
    },
    [Symbol.asyncDispose]: async () => temp[Symbol.dispose](),
  };
}

describeStore('folder', openFolderStore, { reviews: true });
