/** The management API of an installation as a process, with exactly its rights. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { waitFor } from '@gatehouse/test/kit';
import { type RoleRule, rolesOf } from '../../../operator/src/rbac.ts';
import { MANAGEMENT_RULES } from '../../../operator/src/rbac-rules.ts';
import {
  apply,
  type KubeThing,
  kubeconfigOf,
  type OperatorProcess,
  read,
  type Stage,
  secret,
  startOperator,
} from '../operator/support.ts';

export const ACCOUNT = 'gatehouse-management';

export interface ManagementProcess extends OperatorProcess {
  /** For gateways. */
  readonly variables: Readonly<Record<'GATEHOUSE_MANAGEMENT_URL' | 'GATEHOUSE_MANAGEMENT_CA', string>>;
}

interface ManagementOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Further ones, of workspaces. */
  readonly namespaces?: readonly string[];
}

/** Starts it beside an operator that issues its certificate and tells it the keys. */
export async function startManagement(
  stage: Stage,
  operator: OperatorProcess,
  { env = {}, namespaces = [] }: ManagementOptions = {},
): Promise<ManagementProcess> {
  const { cluster, organisation, folder } = stage;
  await grantManagement(stage, namespaces);
  const home = join(folder, 'management');
  await mkdir(home, { recursive: true });
  const own = await certificateIn(stage, 'gatehouse-management-certificate');
  const operators = await certificateIn(stage, 'gatehouse-webhook-certificate');
  const files = {
    kubeconfig: kubeconfigOf(cluster, await cluster.serviceAccountToken(organisation, ACCOUNT)),
    'tls.crt': own('tls.crt'),
    'tls.key': own('tls.key'),
    'ca.crt': operators('ca.crt'),
    token: await cluster.serviceAccountToken(organisation, ACCOUNT, { audiences: ['gatehouse-management'] }),
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(home, name), text);
  const snapshots = await logged(operator, 'Webhooks and snapshot service started', 'snapshots');
  const started = await startOperator({
    kubeconfigPath: join(home, 'kubeconfig'),
    env,
    args: [
      ...stage.setup.args.slice(0, 6), // the namespaces of the stage
      ...['--management', '--management-port', '0', '--management-certificate-dir', home],
      ...['--keys-dir', home, '--keys-url', `https://127.0.0.1:${snapshots}`],
    ],
  });
  const port = await logged(started, 'Management API started', 'management');
  const variables = {
    GATEHOUSE_MANAGEMENT_URL: `https://127.0.0.1:${port}`,
    GATEHOUSE_MANAGEMENT_CA: own('ca.crt'),
  };
  return { ...started, variables };
}

const logged = (process: OperatorProcess, message: string, member: string): Promise<number> =>
  waitFor(() => Number(process.lines(message)[0]?.[member] ?? 0), { what: message }).catch((error: unknown) => {
    throw new Error(`${String(error)}: ${process.output().slice(-3_000)}`);
  });

/** The members of a Secret with a certificate, once the operator has filled it. */
async function certificateIn({ cluster, organisation }: Stage, name: string): Promise<(member: string) => string> {
  const { data = {} } = await waitFor(
    async () => {
      const found = await read(cluster, secret(organisation, name, {}));
      return found?.data?.['tls.crt'] === undefined ? undefined : found;
    },
    { what: name },
  );
  return (member) => Buffer.from(data[member] ?? '', 'base64').toString('utf8');
}

const RBAC = 'rbac.authorization.k8s.io';

/** As the chart does it for named namespaces. */
async function grantManagement(
  { cluster, organisation, fleets, tenant }: Stage,
  others: readonly string[],
): Promise<void> {
  const { cluster: everywhere, watched, workspaceSecrets } = rolesOf(MANAGEMENT_RULES);
  const places: readonly (readonly [string, readonly RoleRule[], readonly (string | undefined)[]])[] = [
    ['management', everywhere, [undefined]],
    ['management-watched', watched, [organisation, fleets, tenant, ...others]],
    ['management-secrets', workspaceSecrets, [organisation, tenant, ...others]],
  ];
  for (const [role, rules, namespaces] of places) {
    const name = `gatehouse-${role}`;
    await apply(cluster, {
      ...{ apiVersion: `${RBAC}/v1`, kind: 'ClusterRole' },
      metadata: { name },
      rules,
    } as KubeThing);
    for (const namespace of namespaces) {
      await apply(cluster, {
        apiVersion: `${RBAC}/v1`,
        kind: namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
        metadata: namespace === undefined ? { name: `${name}-${organisation}` } : { name, namespace },
        roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name },
        subjects: [{ kind: 'ServiceAccount', name: ACCOUNT, namespace: organisation }],
      } as KubeThing);
    }
  }
}
