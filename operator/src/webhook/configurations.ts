/** The ValidatingWebhookConfiguration and the MutatingWebhookConfiguration of the operator. */
import { GROUP, KINDS, VERSION } from '@gatehouse/crds/kinds';
import { PROFILE_LABEL } from '../kinds/sidecar-profile/index.ts';
import type { KindRef, KubeObject } from '../runtime/index.ts';
import { INJECTION_LABEL } from '../translate/index.ts';

export const VALIDATING = 'gatehouse-validating';
export const INJECTION = 'gatehouse-injection';
export const VALIDATE_PATH = '/validate';
export const INJECT_PATH = '/inject';

export interface WebhookConfiguration extends KubeObject {
  readonly webhooks: readonly object[];
}

const kindRef = (kind: string, plural: string): KindRef<WebhookConfiguration> => ({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind,
  plural,
  namespaced: false,
});

export const VALIDATING_CONFIGURATIONS = kindRef('ValidatingWebhookConfiguration', 'validatingwebhookconfigurations');
export const MUTATING_CONFIGURATIONS = kindRef('MutatingWebhookConfiguration', 'mutatingwebhookconfigurations');

export type FailurePolicy = 'Fail' | 'Ignore';

export interface ConfigurationOptions {
  /** The address of the webhooks: a Service, or a URL outside the cluster. */
  readonly reach:
    | { readonly service: { readonly namespace: string; readonly name: string; readonly port: number } }
    | { readonly url: string };
  /** The trusted authorities: PEM, or the Certificate of cert-manager (`namespace/name`) that fills them in. */
  readonly trust: { readonly caPem: string } | { readonly certManagerCertificate: string };
  /** The operator's own user, whose writes need no review: `system:serviceaccount:<namespace>:<name>`. */
  readonly ownUser: string;
  /** Default 'all'. */
  readonly watchNamespaces?: 'all' | readonly string[];
  /** For pods that name a profile. Default `Fail`. */
  readonly injectionFailurePolicy?: FailurePolicy;
  /** Default `Ignore`: the operator checks everything again, and its outage must not stop a rollout of resources. */
  readonly validationFailurePolicy?: FailurePolicy;
  /** How long the API server waits for an answer. Default 5. */
  readonly timeoutSeconds?: number;
}

const TIMEOUT_SECONDS = 5;
const CERT_MANAGER = 'cert-manager.io/inject-ca-from';

/** Controllers that clean up must not be blocked while the webhook is unavailable. */
const CLEANUP_CONTROLLERS = ['namespace-controller', 'generic-garbage-collector'].map(
  (name) => `'system:serviceaccount:kube-system:${name}'`,
);

/** Resources of our group only. */
export function validatingConfiguration(options: ConfigurationOptions): WebhookConfiguration {
  const { ownUser, validationFailurePolicy = 'Ignore' } = options;
  const webhook = {
    ...shared(options, VALIDATE_PATH),
    name: 'resources.gatehouse.dev',
    failurePolicy: validationFailurePolicy,
    namespaceSelector: { matchExpressions: watched(options) },
    objectSelector: {},
    rules: [
      {
        apiGroups: [GROUP],
        apiVersions: [VERSION],
        operations: ['CREATE', 'UPDATE', 'DELETE'],
        resources: Object.values(KINDS)
          .map(({ plural }) => plural)
          .sort(),
        scope: '*',
      },
    ],
    matchConditions: [
      { name: 'not-the-operator', expression: `request.userInfo.username != '${ownUser}'` },
      {
        name: 'not-a-clean-up',
        expression: `request.operation != 'DELETE' || !(request.userInfo.username in [${CLEANUP_CONTROLLERS.join(', ')}])`,
      },
      {
        name: 'not-being-deleted',
        expression: "request.operation != 'UPDATE' || !has(object.metadata.deletionTimestamp)",
      },
    ],
  };
  return configuration(VALIDATING_CONFIGURATIONS, VALIDATING, { options, webhooks: [webhook] });
}

/**
 * Pods of namespaces with the injection label. Pods that name a profile wait for an answer; with the policy `Ignore`, their
 * profile counts those without a sidecar. Pods that only a selector matches have not asked for a sidecar: while the webhook is
 * unavailable they start without one, and are not counted, since that would need a watch on all pods.
 */
export function injectionConfiguration(options: ConfigurationOptions): WebhookConfiguration {
  const { injectionFailurePolicy = 'Fail' } = options;
  const webhook = (name: string, operator: 'Exists' | 'DoesNotExist', failurePolicy: FailurePolicy) => ({
    ...shared(options, INJECT_PATH),
    name,
    failurePolicy,
    reinvocationPolicy: 'IfNeeded',
    namespaceSelector: { matchLabels: { [INJECTION_LABEL]: 'enabled' }, matchExpressions: watched(options) },
    objectSelector: { matchExpressions: [{ key: PROFILE_LABEL, operator }] },
    rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'], scope: 'Namespaced' }],
  });
  const webhooks = [
    webhook('named.sidecars.gatehouse.dev', 'Exists', injectionFailurePolicy),
    webhook('selected.sidecars.gatehouse.dev', 'DoesNotExist', 'Ignore'),
  ];
  return configuration(MUTATING_CONFIGURATIONS, INJECTION, { options, webhooks });
}

function shared({ reach, trust, timeoutSeconds = TIMEOUT_SECONDS }: ConfigurationOptions, path: string) {
  const caBundle = 'caPem' in trust ? { caBundle: Buffer.from(trust.caPem).toString('base64') } : {};
  const where = 'url' in reach ? { url: `${reach.url}${path}` } : { service: { ...reach.service, path } };
  return {
    admissionReviewVersions: ['v1'],
    clientConfig: { ...where, ...caBundle },
    sideEffects: 'None',
    timeoutSeconds,
    matchPolicy: 'Equivalent',
  };
}

const watched = ({ watchNamespaces = 'all' }: ConfigurationOptions) =>
  watchNamespaces === 'all'
    ? []
    : [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: [...watchNamespaces].sort() }];

interface Parts {
  readonly options: ConfigurationOptions;
  readonly webhooks: readonly object[];
}

/**
 * Without labels: those of the installer stay, and Helm removes only objects that are still labelled as managed by Helm.
 */
function configuration(kind: KindRef, name: string, { options: { trust }, webhooks }: Parts): WebhookConfiguration {
  const annotations =
    'certManagerCertificate' in trust ? { annotations: { [CERT_MANAGER]: trust.certManagerCertificate } } : {};
  return {
    apiVersion: `${kind.group}/${kind.version}`,
    kind: kind.kind,
    metadata: { name, ...annotations },
    webhooks,
  };
}
