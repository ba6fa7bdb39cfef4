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
  text,
  textMap,
} from './parts.ts';

export const management: Members = {
  enabled: flag(false, 'Whether the chart runs it; gateways of fleets then pass its paths on to it.'),
  adminKey: flag(
    true,
    'Whether the chart creates the ApiKey gatehouse-admin of the organisation, with every scope; the operator writes the key into the ' +
      'Secret gatehouse-admin-key.',
  ),
  replicas: int([1, 9], [1, 2], 'Number of pods; each serves every call.'),
  resources: resources({ cpu: '50m', memory: '192Mi' }, '768Mi'),
  logLevel: choice(['debug', 'info', 'warn', 'error'], ['info', 'debug'], 'Least severe level that is logged.'),
  podSecurityContext,
  containerSecurityContext,
  podLabels: textMap({ team: 'platform' }, 'Further labels of the pods.'),
  podAnnotations: textMap({ 'example.com/owner': 'platform' }, 'Annotations of the pods.'),
  nodeSelector: textMap({ 'kubernetes.io/arch': 'arm64' }, 'Labels that nodes must have.'),
  tolerations: objects([{ key: 'control', operator: 'Exists' }], 'Taints that are tolerated.'),
  affinity: objectOf({}, { nodeAffinity: {} }, 'Affinity of the pods.'),
  priorityClassName: text(['', 'system-cluster-critical'], 'Priority class of the pods.'),
};
