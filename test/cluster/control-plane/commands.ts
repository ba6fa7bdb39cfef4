import { join } from 'node:path';
import type { Credentials } from './credentials.ts';
import type { Place, Ports } from './place.ts';

export interface Layout {
  readonly folder: string;
  readonly place: Place;
  readonly ports: Ports;
  readonly credentials: Credentials;
  readonly auditLog: string;
  readonly auditPolicy: string;
}

/** One event per request, when it is answered; watches also when they begin. */
export const AUDIT_POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Metadata' }],
};

/** Name to value; `--name=value` each. */
type Flags = Readonly<Record<string, string | number | boolean>>;

const toArguments = (flags: Flags): string[] => Object.entries(flags).map(([name, value]) => `--${name}=${value}`);

export function etcdArguments({ folder, ports }: Layout): string[] {
  const [clients, peers] = [`http://127.0.0.1:${ports.etcd}`, `http://127.0.0.1:${ports.etcdPeer}`];
  return toArguments({
    name: 't',
    'data-dir': join(folder, 'etcd'),
    'listen-client-urls': clients,
    'advertise-client-urls': clients,
    'listen-peer-urls': peers,
    'initial-advertise-peer-urls': peers,
    'initial-cluster': `t=${peers}`,
    'unsafe-no-fsync': true, // the data is not needed after a power failure
    'auto-compaction-mode': 'periodic',
    'auto-compaction-retention': '5m',
    'quota-backend-bytes': 4 * 2 ** 30,
    'log-level': 'warn',
  });
}

export const apiServerArguments = (layout: Layout): string[] =>
  toArguments({ ...serving(layout), ...identity(layout.credentials), ...aggregation(layout.credentials) });

const serving = ({ place, ports, credentials, auditLog, auditPolicy }: Layout): Flags => ({
  'etcd-servers': `http://127.0.0.1:${ports.etcd}`,
  'bind-address': place.address,
  'advertise-address': place.address,
  'secure-port': ports.apiServer,
  'tls-cert-file': credentials.server.certificate,
  'tls-private-key-file': credentials.server.key,
  'enable-admission-plugins': 'NodeRestriction', // on top of the defaults
  'service-cluster-ip-range': place.services.cidr,
  'allow-privileged': true,
  'endpoint-reconciler-type': place.hasPods ? 'lease' : 'none', // no Endpoints of a loopback address
  'kubelet-client-certificate': credentials.kubeletClient.certificate,
  'kubelet-client-key': credentials.kubeletClient.key,
  'kubelet-certificate-authority': credentials.authority.certificate,
  'kubelet-preferred-address-types': 'InternalIP',
  'audit-policy-file': auditPolicy,
  'audit-log-path': auditLog,
  'audit-log-maxsize': 200, // MB
  'audit-log-maxbackup': 1,
  'event-ttl': '1h',
  profiling: false,
});

const identity = ({ authority, tokensFile, serviceAccounts }: Credentials): Flags => ({
  'client-ca-file': authority.certificate,
  'token-auth-file': tokensFile,
  'anonymous-auth': true,
  'authorization-mode': 'Node,RBAC',
  'service-account-issuer': 'https://kubernetes.default.svc.cluster.local',
  'service-account-key-file': serviceAccounts.publicKey,
  'service-account-signing-key-file': serviceAccounts.privateKey,
});

const aggregation = ({ frontProxyAuthority, frontProxyClient }: Credentials): Flags => ({
  'requestheader-client-ca-file': frontProxyAuthority.certificate,
  'requestheader-allowed-names': 'front-proxy-client',
  'requestheader-username-headers': 'X-Remote-User',
  'requestheader-group-headers': 'X-Remote-Group',
  'requestheader-extra-headers-prefix': 'X-Remote-Extra-',
  'proxy-client-cert-file': frontProxyClient.certificate,
  'proxy-client-key-file': frontProxyClient.key,
});

export const controllerManagerArguments = ({ place, credentials }: Layout, kubeconfig: string): string[] =>
  toArguments({
    kubeconfig,
    'secure-port': 0, // unused
    'leader-elect': false,
    'kube-api-qps': 500, // the default of 20 makes the first ServiceAccount wait 5 s
    'kube-api-burst': 1000,
    'node-monitor-grace-period': '3m', // a test that stops the API server for a minute has not killed the nodes
    'use-service-account-credentials': true,
    'service-account-private-key-file': credentials.serviceAccounts.privateKey,
    'root-ca-file': credentials.authority.certificate,
    'cluster-signing-cert-file': credentials.authority.certificate,
    'cluster-signing-key-file': credentials.authority.key,
    controllers: '*',
    'allocate-node-cidrs': false,
    'service-cluster-ip-range': place.services.cidr,
    profiling: false,
  });
