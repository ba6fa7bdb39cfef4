/** Names, ports and address ranges, by who may open them: docs/behaviour/hosts.md. */

/** Bare names of cloud metadata and of the Kubernetes API: refused for everyone. */
export const FORBIDDEN_HOSTS: readonly string[] = ['metadata', 'instance-data', 'kubernetes'];

/** The same as domains, with every name below them. */
export const FORBIDDEN_DOMAINS: readonly string[] = [
  'metadata.google.internal',
  'metadata.gce.internal',
  'metadata.goog',
  'metadata.azure.com',
  'metadata.internal',
  'metadata.do.internal',
  'metadata.packet.net',
  'metadata.cloud.ibm.com',
  'instance-data.ec2.internal',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
];

/** Public domains that resolve to any address written into the name: no trusted host opens them. */
export const REBINDING_DOMAINS: readonly string[] = [
  'nip.io',
  'sslip.io',
  'xip.io',
  'localtest.me',
  'lvh.me',
  'vcap.me',
  'traefik.me',
  'localhost.run',
];

/** Domains that only a cluster or cloud network resolves: a trusted host may be below one, but not the whole domain. */
export const NETWORK_DOMAINS: readonly string[] = [
  'cluster.local',
  'compute.internal',
  'ec2.internal',
  'internal.cloudapp.net',
  'consul',
  'service.consul',
  'node.consul',
];

/** Top-level names of private networks. */
export const PRIVATE_TLDS: readonly string[] = [
  'local',
  'localdomain',
  'internal',
  'intranet',
  'lan',
  'home',
  'corp',
  'test',
  'invalid',
  'onion',
  'localhost',
];

/** Ports of services that are not HTTP or must not be called: refused for trusted hosts too. */
export const BLOCKED_PORTS: ReadonlySet<number> = new Set([
  ...[21, 22, 23, 25, 53, 110, 111, 135, 139, 143, 389, 445, 465, 587, 636, 873, 993, 995, 1433, 1521, 2049, 2375],
  ...[2376, 2379, 2380, 3306, 3389, 5432, 5984, 6379, 6443, 9042, 9200, 9300, 10250, 10255, 11211, 27017, 50070],
  8789, // the admin port of gateway pods, which has no Service
]);

/** Addresses of cloud metadata services, which hand out the machine's identity. */
export const METADATA_RANGES: readonly string[] = [
  '169.254.169.0/24',
  '169.254.170.2/32', // ECS
  '169.254.170.23/32', // EKS pod identity
  '100.100.100.200/32', // Alibaba Cloud
  '168.63.129.16/32', // Azure
  '192.0.0.192/32', // Oracle Cloud
  'fd00:ec2::/32', // AWS
  'fd20:ce::254/128', // Google Cloud
  'fe80::a9fe:a9fe/128', // OpenStack
];

/** The machine itself; Linux connects the unspecified address to loopback. */
export const LOOPBACK_RANGES: readonly string[] = ['127.0.0.0/8', '0.0.0.0/32', '::1/128', '::/128'];

/** What is not public unicast. IPv6: everything outside 2000::/3, and its special parts (IANA registry). */
export const RESERVED_RANGES: readonly string[] = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  '168.63.129.16/32',
  '::/3',
  '4000::/2',
  '8000::/1',
  '2001::/23',
  '2001:db8::/32',
  '3fff::/20',
];
