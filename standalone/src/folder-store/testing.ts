import { DEFAULT_TARGET_CAPS } from '@gatehouse/crds/config';
import type { ResourceStore } from '@gatehouse/operator/management';
import { createResourceFolder, type ResourceFolder } from '../resource-folder/index.ts';
import { createFolderStore } from './folder-store.ts';

export interface OpenedFolder {
  readonly store: ResourceStore;
  readonly folder: ResourceFolder;
}

/** A store over a folder, at a time that does not pass. */
export async function openStore(root: string): Promise<OpenedFolder> {
  const folder = createResourceFolder([root], {
    variables: {},
    caps: DEFAULT_TARGET_CAPS,
    now: () => performance.now(),
  });
  await folder.refresh();
  return { folder, store: createFolderStore({ root, folder, now: () => Date.UTC(2027, 0, 1) }) };
}

export const POLICY_SPEC = {
  conditions: [{ key: 'model', values: ['@openai/*'] }],
  groupBy: [{ key: 'api_key' }],
  type: 'requests',
  unit: 'rpm',
  value: 10,
} as const;
