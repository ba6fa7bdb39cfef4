/** The values of PostgreSQL. */
import {
  containerSecurityContext,
  flag,
  image,
  int,
  type Members,
  objectOf,
  objects,
  podSecurityContext,
  resources,
  secretEntry,
  section,
  text,
  textMap,
} from './parts.ts';

export const postgres: Members = {
  enabled: flag(
    true,
    'Whether the chart runs a small PostgreSQL for the management API, where management.enabled; without one, and without ' +
      'urlSecretRef, users, invitations and audit records are not served.',
  ),
  image: image('postgres', '17'),
  resources: resources({ cpu: '50m', memory: '128Mi' }, '512Mi'),
  maxConnections: int([20, 1000], [100, 200], 'Most connections; each pod of the management API has up to eight.'),
  podLabels: textMap({ team: 'platform' }, 'Further labels of the pod.'),
  podAnnotations: textMap({ 'example.com/owner': 'platform' }, 'Annotations of the pod.'),
  podSecurityContext,
  containerSecurityContext,
  nodeSelector: textMap({ 'kubernetes.io/arch': 'arm64' }, 'Labels that the node must have.'),
  tolerations: objects([{ key: 'data', operator: 'Exists' }], 'Taints that are tolerated.'),
  affinity: objectOf({}, { nodeAffinity: {} }, 'Affinity of the pod.'),
  priorityClassName: text(['', 'high'], 'Priority class of the pod.'),
  persistence: section('Users, invitations and audit records are nowhere else; the request log is there, too.', {
    enabled: flag(
      true,
      'Whether to use a volume, which stays when the chart is removed; without one, as for a cluster without storage classes, all is lost with ' +
        'the pod.',
    ),
    size: text(
      ['', '20Gi'],
      "Size of the volume; empty: 8Gi, and where the StatefulSet is there already, as large as its own. Helm cannot change the StatefulSet's size.",
    ),
    storageClassName: text(['', 'fast'], "Storage class; empty: the cluster's default."),
  }),
  urlSecretRef: secretEntry(
    'Secret entry, in the namespace of the release, with the URL of another PostgreSQL ' +
      "(postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=verify-full); the chart's is then not run.",
  ),
  caConfigMap: text(
    ['', 'database-ca'],
    'ConfigMap in the namespace of the release with the authorities of that server in ca.crt; TLS is then the default. Empty: those ' +
      'of Node.',
  ),
};
