/** The values of the management API. */
import {
  choice,
  containerSecurityContext,
  flag,
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

export const management: Members = {
  enabled: flag(
    true,
    'Whether the chart runs it; gateways of fleets then pass its paths on to it. Without it the chart runs no PostgreSQL, and keeps no request ' +
      'log there.',
  ),
  adminKey: flag(
    true,
    'Whether the chart creates the ApiKey gatehouse-admin of the organisation, with every scope; the operator writes the key into the ' +
      'Secret gatehouse-admin-key.',
  ),
  replicas: int([1, 9], [1, 2], 'Number of pods; each serves every call.'),
  resources: resources({ cpu: '50m', memory: '192Mi' }, '768Mi'),
  logLevel: choice(['debug', 'info', 'warn', 'error'], ['info', 'debug'], 'Least severe level that is logged.'),
  auditRetentionDays: int(
    [0, 36_500],
    [0, 365],
    'Days after which audit records are deleted from the database; 0: never.',
  ),
  signIn: section('Signing in with a browser, at an identity provider (docs/behaviour/sign-in.md).', {
    issuer: text(
      ['', 'https://login.example.com'],
      'Issuer of the provider (OpenID Connect); empty: nobody signs in. publicUrl, clientId, clientSecretRef and a database are then required.',
    ),
    publicUrl: text(['', 'https://gateway.example.com'], 'Where browsers reach the gateway.'),
    clientId: text(['', 'gateway'], 'Client that the provider knows the gateway by.'),
    clientSecretRef: secretEntry('Secret entry, in the namespace of the release, with the secret of that client.'),
    trustsEmails: flag(
      false,
      'Whether addresses count that the provider does not call verified, because it verifies all of them.',
    ),
    sessionHours: int([1, 720], [12, 8], 'Hours from a sign-in to the end of its session.'),
    sessionIdleMinutes: int([5, 1440], [60, 30], 'Minutes after which a session ends without a call.'),
  }),
  serviceAccount: section('The account of its pods.', {
    annotations: textMap({ 'example.com/role': 'management' }, 'Annotations, e.g. for an identity of a cloud.'),
  }),
  podSecurityContext,
  containerSecurityContext,
  podLabels: textMap({ team: 'platform' }, 'Further labels of the pods.'),
  podAnnotations: textMap({ 'example.com/owner': 'platform' }, 'Annotations of the pods.'),
  nodeSelector: textMap({ 'kubernetes.io/arch': 'arm64' }, 'Labels that nodes must have.'),
  tolerations: objects([{ key: 'control', operator: 'Exists' }], 'Taints that are tolerated.'),
  affinity: objectOf({}, { nodeAffinity: {} }, 'Affinity of the pods.'),
  priorityClassName: text(['', 'system-cluster-critical'], 'Priority class of the pods.'),
};
