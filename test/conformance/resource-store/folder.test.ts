import { DEFAULT_TARGET_CAPS } from '@gatehouse/crds/config';
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
    [Symbol.asyncDispose]: async () => temp[Symbol.dispose](),
  };
}

describeStore('folder', openFolderStore, { reviews: true });
