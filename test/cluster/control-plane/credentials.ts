import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createAuthority, issue, type KeyPair } from './pki.ts';

/** Who talks to the API server; the names are those of RBAC's default roles. */
export type Client = 'admin' | 'kube-controller-manager' | 'kube-scheduler' | 'kube-proxy' | `node-${number}`;

export interface Credentials {
  readonly folder: string;
  readonly authority: KeyPair;
  readonly caPem: string;
  readonly server: KeyPair;
  readonly frontProxyAuthority: KeyPair;
  readonly frontProxyClient: KeyPair;
  readonly kubeletClient: KeyPair;
  readonly serviceAccounts: { readonly privateKey: string; readonly publicKey: string };
  readonly tokensFile: string;
  tokenOf(client: Client): string;
}

/** The API server reads its tokens once, so nodes that come later have theirs from the start. */
export const MAX_NODES = 8;

/** The name of node `number`, counted from 1. */
export const nodeName = (number: number): string => `node-${number}`;

const MASTERS = 'system:masters';
const SERVER_HOSTS = [
  'localhost',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
];

const identities: readonly { client: Client; user: string; group: string }[] = [
  { client: 'admin', user: 'admin', group: MASTERS },
  ...(['kube-controller-manager', 'kube-scheduler', 'kube-proxy'] as const).map((client) => ({
    client,
    user: `system:${client}`,
    group: '',
  })),
  ...Array.from({ length: MAX_NODES }, (_, i) => ({
    client: `node-${i + 1}` as const,
    user: `system:node:${nodeName(i + 1)}`,
    group: 'system:nodes',
  })),
];

/** Throw-away keys, certificates and tokens of one cluster; `ips` are the addresses of its API server. */
export async function createCredentials(folder: string, ips: readonly string[]): Promise<Credentials> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const [authority, frontProxyAuthority] = await Promise.all([
    createAuthority(folder, 'ca'),
    createAuthority(folder, 'front-proxy-ca'),
  ]);
  const [server, frontProxyClient, kubeletClient, serviceAccounts, tokens, caPem] = await Promise.all([
    issue(authority, folder, {
      name: 'apiserver',
      subject: '/CN=kube-apiserver',
      usage: 'serverAuth',
      ips,
      hosts: SERVER_HOSTS,
    }),
    issue(frontProxyAuthority, folder, {
      name: 'front-proxy-client',
      subject: '/CN=front-proxy-client',
      usage: 'clientAuth',
    }),
    issue(authority, folder, {
      name: 'kubelet-client',
      subject: `/O=${MASTERS}/CN=kube-apiserver-kubelet-client`,
      usage: 'clientAuth',
    }),
    createSigningKeys(folder),
    createTokens(folder),
    readFile(authority.certificate, 'utf8'),
  ]);
  return {
    ...{ folder, authority, caPem, server, frontProxyAuthority, frontProxyClient, kubeletClient, serviceAccounts },
    ...tokens,
  };
}

async function createSigningKeys(folder: string): Promise<Credentials['serviceAccounts']> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const paths = { privateKey: join(folder, 'sa.key'), publicKey: join(folder, 'sa.pub') };
  await writeFile(paths.privateKey, privateKey, { mode: 0o600 });
  await writeFile(paths.publicKey, publicKey);
  return paths;
}

async function createTokens(folder: string): Promise<Pick<Credentials, 'tokensFile' | 'tokenOf'>> {
  const tokens = new Map(identities.map(({ client }) => [client, randomBytes(16).toString('hex')]));
  const tokenOf = (client: Client): string => {
    const token = tokens.get(client);
    if (token === undefined) throw new Error(`No token for ${client}`);
    return token;
  };
  const tokensFile = join(folder, 'tokens.csv');
  const lines = identities.map(({ client, user, group }) => `${tokenOf(client)},${user},${client},"${group}"`);
  await writeFile(tokensFile, `${lines.join('\n')}\n`, { mode: 0o600 });
  return { tokensFile, tokenOf };
}

/** A kubeconfig with a token; JSON is YAML, so it may be written as it is. */
export const kubeconfigOf = (server: string, caPem: string, token: string) => ({
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [
    { name: 'test', cluster: { server, 'certificate-authority-data': Buffer.from(caPem).toString('base64') } },
  ],
  users: [{ name: 'test', user: { token } }],
  contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
  'current-context': 'test',
});

export type Kubeconfig = ReturnType<typeof kubeconfigOf>;
