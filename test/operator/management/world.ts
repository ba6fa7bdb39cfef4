/** The management API of a cluster with its database, asked by itself: a control plane, an operator and the process, with their rights. */
import { SCOPES } from '@gatehouse/crds/kinds';
import { startPostgres, waitFor } from '@gatehouse/test/kit';
import { Agent, fetch } from 'undici';
import { installCustomResources, runKubectl, startControlPlane } from '../../cluster/index.ts';
import type { ManagementWorld } from '../../conformance/management-api/suite.ts';
import { grantRights, installShells } from '../operator/rights.ts';
import { apply, label, ours, read, type Stage, secret, setStage, startOperator } from '../operator/support.ts';
import { ACCOUNT, startManagement } from './process.ts';

const ADMIN_SCOPES = [...SCOPES].flatMap(([scope, types]) => (types.includes('organisation-service') ? [scope] : []));

export interface ClusterWorld extends ManagementWorld {
  readonly stage: Stage;
  /** PEM: the authorities of its certificate. */
  readonly ca: string;
}

export async function openCluster(): Promise<ClusterWorld> {
  await using started = new AsyncDisposableStack();
  const postgres = started.use(await startPostgres());
  const cluster = started.use(await startControlPlane());
  await installCustomResources(cluster);
  const spare = await cluster.createNamespace();
  await label(cluster, spare, spare);
  const args = ['--webhook-url', 'https://127.0.0.1:0', '--management-service-account', ACCOUNT];
  const stage = started.use(await setStage(cluster, { args, namespaces: [spare] }));
  await installShells(stage);
  const { organisation, fleets, tenant } = stage;
  const elsewhere = {
    watched: [organisation, fleets, tenant, spare],
    workspaceSecrets: [organisation, tenant, spare],
  };
  const kubeconfigPath = await grantRights(stage, elsewhere);
  const operator = started.use(await startOperator({ ...stage.setup, kubeconfigPath }));
  await apply(
    cluster,
    ours('ApiKey', { name: 'admin', namespace: organisation }, { type: 'organisation-service', scopes: ADMIN_SCOPES }),
  );
  const databaseUrl = await postgres.database();
  const env = { DATABASE_URL: databaseUrl, GATEHOUSE_LOGS_DATABASE_URL: databaseUrl };
  const management = started.use(await startManagement(stage, operator, { env, namespaces: [spare] }));
  const { GATEHOUSE_MANAGEMENT_URL: url, GATEHOUSE_MANAGEMENT_CA: ca } = management.variables;
  const dispatcher = started.use(agentOf(ca));
  const key = await mintedKey(stage);
  const send = async (at: string, init: RequestInit): Promise<Response> =>
    (await fetch(at, { ...(init as object), dispatcher: dispatcher.agent })) as unknown as Response; // the same interface
  const isKnown = async () =>
    (await send(`${url}/v1/admin/workspaces`, { headers: { 'x-gw-api-key': key } })).status === 200;
  await waitFor(isKnown, { what: 'the key of the organisation' });
  const parts = started.move();
  return {
    ...{ stage, ca, url, key, workspace: tenant, spare, fetch: send },
    settled: async () => {
      await waitFor(() => hasStatuses(stage), { what: 'an operator that knows all objects' });
    },
    texts: async () => {
      const list = (kinds: string) => runKubectl(cluster, ['get', kinds, '-A', '-o', 'yaml', '--show-managed-fields']);
      const kinds =
        'virtualkeys,gatewayconfigs,guardrails,integrations,providers,mcpintegrations,secretreferences,configmaps,events,events.events.k8s.io';
      const metrics = await (await fetch(`${management.healthUrl}/metrics`)).text();
      const records = await postgres.sql(
        'select * from gatehouse.audit_records',
        new URL(env.DATABASE_URL).pathname.slice(1),
      );
      return {
        secrets: await list('secrets'),
        others: [operator.output(), management.output(), await list(kinds), metrics, records],
      };
    },
    stopDatabase: () => postgres.stop(),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

function agentOf(ca: string): AsyncDisposable & { readonly agent: Agent } {
  const agent = new Agent({ connect: { ca } });
  return { agent, [Symbol.asyncDispose]: () => agent.close() };
}

interface WithStatus {
  readonly metadata: { readonly generation: number };
  readonly status?: { readonly conditions?: readonly { readonly observedGeneration?: number }[] };
}

/** The operator writes what it has translated: then it knows references to and from each object. */
async function hasStatuses({ cluster, tenant, organisation }: Stage): Promise<boolean> {
  const lists = [tenant, organisation].flatMap((namespace) =>
    USERS.map((plural) => `/apis/gatehouse.dev/v1alpha1/namespaces/${namespace}/${plural}`),
  );
  const answers = await Promise.all(lists.map((path) => cluster.request('GET', path)));
  return answers
    .flatMap(({ body }) => (body as { readonly items: readonly WithStatus[] }).items)
    .every(({ metadata: { generation }, status: { conditions = [] } = {} }) =>
      conditions.some(({ observedGeneration }) => observedGeneration === generation),
    );
}

/** Kinds that name others. */
const USERS = [
  ...['gatewayconfigs', 'prompts', 'providers', 'integrations', 'guardrails', 'promptpartials'],
  ...['virtualkeys', 'promptcollections', 'mcpservers'],
];

const mintedKey = ({ cluster, organisation }: Stage): Promise<string> =>
  waitFor(
    async () => {
      const minted = await read(cluster, secret(organisation, 'admin-key', {}));
      return Buffer.from(minted?.data?.['key'] ?? '', 'base64').toString('utf8') || undefined;
    },
    { what: 'the minted key of the organisation' },
  );
