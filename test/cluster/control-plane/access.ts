import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { type CaptureOptions, type CommandResult, capture } from '../../../scripts/machine/index.ts';
import { waitFor } from '../../kit/wait-for.ts';
import { APPLY_PATCH, type ApiClient, createApiClient } from './api.ts';
import { type AuditEvent, type AuditFilter, readAuditLog } from './audit.ts';
import { type Kubeconfig, kubeconfigOf } from './credentials.ts';

/** What another process needs to use a control plane. */
export interface ControlPlaneDescriptor {
  readonly folder: string;
  readonly url: string;
  readonly caPem: string;
  readonly adminToken: string;
  readonly kubeconfigPath: string;
  readonly auditLog: string;
  readonly kubectlPath: string;
}

/** `input` is for `-f -`. */
export type KubectlOptions = CaptureOptions;
export type KubectlOutcome = CommandResult;

export interface TokenOptions {
  readonly audiences?: readonly string[];
  /** At least 600. */
  readonly ttlSeconds?: number;
}

/** A control plane that another process may own: everything but stopping it. Disposing ends our connections only. */
export interface ControlPlaneAccess extends ControlPlaneDescriptor, ApiClient {
  readonly kubeconfig: Kubeconfig;
  /** Runs kubectl as administrator; a refusal is an outcome, not an exception. */
  kubectl(args: readonly string[], options?: KubectlOptions): Promise<KubectlOutcome>;
  /** A namespace of its own with a random name, ready for pods. It need not be deleted. */
  createNamespace(labels?: Readonly<Record<string, string>>): Promise<string>;
  /** A token as a pod gets it; creates the ServiceAccount when there is none. */
  serviceAccountToken(namespace: string, name: string, options?: TokenOptions): Promise<string>;
  /** The requests answered so far. An event is written just after its answer: wait for it. */
  auditEvents(filter?: AuditFilter): Promise<AuditEvent[]>;
}

const FIELD_MANAGER = 'gatehouse-test';

/** The door to a control plane that another process may have started. */
export function connect(descriptor: ControlPlaneDescriptor): ControlPlaneAccess {
  const { url, caPem, adminToken } = descriptor;
  const client = createApiClient(url, caPem, adminToken);
  return {
    ...descriptor,
    ...client,
    kubeconfig: kubeconfigOf(url, caPem, adminToken),
    kubectl: (args, options = {}) => kubectl(descriptor, args, options),
    createNamespace: (labels = {}) => createNamespace(client, labels),
    serviceAccountToken: (namespace, name, options = {}) => createToken(client, { namespace, name, ...options }),
    auditEvents: (filter = {}) => readAuditLog(descriptor.auditLog, filter),
  };
}

function kubectl(
  { kubectlPath, kubeconfigPath, folder }: ControlPlaneDescriptor,
  args: readonly string[],
  options: KubectlOptions,
): Promise<KubectlOutcome> {
  const own = [`--kubeconfig=${kubeconfigPath}`, `--cache-dir=${join(folder, 'kubectl')}`];
  return capture([kubectlPath, ...own, ...args], options);
}

/** What kubectl printed, where a refusal is a failure of the test. */
export async function runKubectl(
  controlPlane: Pick<ControlPlaneAccess, 'kubectl'>,
  args: readonly string[],
  options: KubectlOptions = {},
): Promise<string> {
  const { code, stdout, stderr } = await controlPlane.kubectl(args, options);
  if (code === 0) return stdout;
  throw new Error(`kubectl ${args.join(' ')} ended with ${code}: ${stderr.trim()}`);
}

async function createNamespace(client: ApiClient, labels: Readonly<Record<string, string>>): Promise<string> {
  const name = `t-${randomBytes(5).toString('hex')}`;
  await must(client.request('POST', '/api/v1/namespaces', { body: { metadata: { name, labels } } }));
  const account = `/api/v1/namespaces/${name}/serviceaccounts/default`;
  // A pod created before its namespace has this account is refused.
  await waitFor(async () => (await client.request('GET', account)).status === 200, {
    what: account,
  });
  return name;
}

const tokenAnswer = z.looseObject({ status: z.looseObject({ token: z.string() }) });

async function createToken(
  client: ApiClient,
  { namespace, name, audiences, ttlSeconds }: TokenOptions & { namespace: string; name: string },
): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}`;
  await must(
    client.request('PATCH', `${path}?fieldManager=${FIELD_MANAGER}`, {
      contentType: APPLY_PATCH,
      body: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } },
    }),
  );
  const spec = {
    ...(audiences === undefined ? {} : { audiences }),
    ...(ttlSeconds === undefined ? {} : { expirationSeconds: ttlSeconds }),
  };
  const answer = await must(client.request('POST', `${path}/token`, { body: { spec } }));
  return tokenAnswer.parse(answer).status.token;
}

/** The body of an answer that must be good. */
async function must(pending: ReturnType<ApiClient['request']>): Promise<unknown> {
  const { status, body } = await pending;
  if (status >= 200 && status < 300) return body;
  throw new Error(`The API server answered ${status}: ${JSON.stringify(body)}`);
}
