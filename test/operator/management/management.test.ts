/** The management API of a cluster, through gateways: what REST writes is in force everywhere, and nobody else's work is lost. */
import { createHash, randomBytes } from 'node:crypto';
import { waitFor } from '@gatehouse/test/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ControlPlane, installCustomResources, startControlPlane } from '../../cluster/index.ts';
import { grantRights, installShells } from '../operator/rights.ts';
import {
  apply,
  type KubeThing,
  type OperatorProcess,
  ours,
  type PodProcess,
  read,
  runPods,
  type Stage,
  secret,
  setStage,
  startOperator,
} from '../operator/support.ts';
import { ACCOUNT, type ManagementProcess, startManagement } from './process.ts';

const READER = 'gwk_reader_of_tests';
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
/** A text that no answer, log, event, status or object but its own Secret may have. */
const CANARY = `sk-canary-${randomBytes(16).toString('hex')}`;

let cluster: ControlPlane;
let stage: Stage;
let operator: OperatorProcess;
let management: ManagementProcess;
let pods: PodProcess[];
let admin: string;
const parts = new AsyncDisposableStack();
const answers: string[] = [];

beforeAll(async () => {
  cluster = parts.use(await startControlPlane());
  await installCustomResources(cluster);
  const args = ['--webhook-url', 'https://127.0.0.1:0', '--management-service-account', ACCOUNT];
  stage = parts.use(await setStage(cluster, { args, replicas: 3 }));
  await installShells(stage);
  operator = parts.use(await startOperator({ ...stage.setup, kubeconfigPath: await grantRights(stage) }));
  const { organisation, tenant } = stage;
  await apply(cluster, ours('ApiKey', { name: 'admin', namespace: organisation }, { type: 'organisation-service', scopes: ['*'] }));
  await apply(
    cluster,
    ours('ApiKey', { name: 'reader', namespace: tenant }, { type: 'workspace-service', scopes: ['configs.list'], sha256: sha256(READER) }),
  );
  management = parts.use(await startManagement(stage, operator));
  pods = await runPods(stage, { count: 3, variables: management.variables });
  for (const pod of pods) parts.use(pod);
  admin = await waitFor(
    async () => {
      const minted = await read(cluster, secret(organisation, 'admin-key', {}));
      return Buffer.from(minted?.data?.['key'] ?? '', 'base64').toString('utf8') || undefined;
    },
    { what: 'the minted key of the organisation' },
  );
  await waitFor(async () => (await call('GET', '/configs')).status === 200, { what: 'a call that is answered' });
});
afterAll(() => parts.disposeAsync());

interface Call {
  readonly key?: string;
  readonly body?: object;
  readonly pod?: PodProcess | undefined;
}

/** Through a gateway; `path` is below `/v1`. */
async function call(method: string, path: string, { key = admin, body, pod = pods[0] }: Call = {}) {
  const mark = path.includes('?') ? '&' : '?';
  const named = key === admin ? `${path}${mark}workspace_id=${stage.tenant}` : path;
  const response = await fetch(`${pod?.url}/v1${named}`, {
    method,
    headers: { 'x-gw-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  answers.push(text);
  return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) };
}

const created = async (path: string, body: object): Promise<string> => {
  const made = await call('POST', path, { body: { workspace_id: stage.tenant, ...body } });
  expect(made).toMatchObject({ status: 200 });
  return String(made.body['slug']);
};

const POLICY = {
  name: 'Slow',
  conditions: [{ key: 'model', value: '*' }],
  group_by: [{ key: 'api_key' }],
  type: 'requests',
  unit: 'rpm',
  value: 100,
};

const there = (kind: string, name: string) => ours(kind, { name, namespace: stage.tenant }, {});

test('a key is checked by the gateway, and by the management API itself', async () => {
  expect((await call('GET', '/configs', { key: 'gwk_unknown' })).status).toBe(401);
  expect((await call('GET', '/providers', { key: READER })).status).toBe(403);
  await waitFor(async () => (await call('GET', '/configs', { key: READER })).status === 200, { what: 'the reader' });
  const { NODE_TLS_REJECT_UNAUTHORIZED: _, ...variables } = management.variables as Record<string, string>;
  expect(Object.keys(variables)).toHaveLength(2);
});
