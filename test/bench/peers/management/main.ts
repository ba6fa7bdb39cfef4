/** The management API over the folder FOLDER, for one key and without a limit of its calls; the port is its one message. */
import { DEFAULT_TARGET_CAPS } from '@gatehouse/crds/config';
import { SCOPES } from '@gatehouse/crds/kinds';
import { type Caller, createManagementServer, createTenancy, OPERATIONS } from '@gatehouse/operator/management';
import { createFolderStore, uuidOf } from '../../../../standalone/src/folder-store/index.ts';
import { createResourceFolder, ORGANISATION_NAMESPACE } from '../../../../standalone/src/resource-folder/index.ts';
import { WORKSPACE } from './entries.ts';

const CALLER: Caller = {
  ...{ keyId: 'bench', keyName: 'bench', type: 'workspace-service', workspace: WORKSPACE, user: undefined },
  scopes: new Set(SCOPES.keys()),
  expiresAtMs: Number.POSITIVE_INFINITY,
};
const UNREACHABLE = 1_000_000_000;

const root = process.env['FOLDER'] ?? '';
const folder = createResourceFolder([root], {
  variables: {},
  caps: DEFAULT_TARGET_CAPS,
  now: () => performance.now(),
});
await folder.refresh();
const store = createFolderStore({ root, folder, now: Date.now });
const app = createManagementServer({
  operations: OPERATIONS,
  services: {
    store,
    tenancy: createTenancy({
      ...{ store, organisationId: uuidOf('Organisation/default'), organisationNamespace: ORGANISATION_NAMESPACE },
    }),
    randomName: (length) => 'x'.repeat(length),
    now: Date.now,
  },
  keys: { find: () => CALLER },
  onCall: () => undefined,
  rates: { perSecond: UNREACHABLE, burst: UNREACHABLE },
});
await app.listen({ host: '127.0.0.1', port: 0 });
process.once('disconnect', () => process.exit(0));
const address = app.server.address();
process.send?.({ port: typeof address === 'object' ? address?.port : 0 });
