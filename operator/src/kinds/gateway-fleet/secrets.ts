/** The Secrets of a fleet: those it refers to, and the one with the token of its admin port. */
import { createHmac, createPrivateKey, randomBytes, X509Certificate } from 'node:crypto';
import type { GatewayFleet } from '@gatehouse/crds/kinds';
import { API_VERSION } from '@gatehouse/crds/kinds';
import {
  type CallOptions,
  type Claimant,
  type KubeClient,
  keyOf,
  type NamedWatches,
  type ObjectKey,
  type ObjectName,
} from '../../runtime/index.ts';
import { SECRETS, type SecretObject } from './kube-kinds.ts';
import { listenersOf } from './listeners.ts';
import { ADMIN_TOKEN_KEY, adminSecretName, childLabels, FIELD_MANAGER } from './names.ts';
import { type FleetIssue, isOfOrganisation } from './placement.ts';
import type { FleetSettings } from './settings.ts';

export type SecretStore = Pick<NamedWatches<SecretObject>['store'], 'get'>;

/** One entry of a Secret in the fleet's namespace. */
export interface SecretUse {
  readonly path: string;
  readonly secret: string;
  readonly key: string;
  /** Whether pods are replaced when the entry changes; gateways read mounted files again instead. */
  readonly replacesPods: boolean;
}

/** The entries of the Secret of a bucket. */
export const S3_KEYS = ['accessKeyId', 'secretAccessKey'] as const;

/** Entries of Secrets that the pods need to start. */
export function secretUses(fleet: GatewayFleet): readonly SecretUse[] {
  const { stores, tracing, records, env = [] } = fleet.spec;
  const use = (
    path: string,
    { name, key }: { readonly name: string; readonly key: string },
    replacesPods = true,
  ): SecretUse => ({ path, secret: name, key, replacesPods });
  return [
    ...(['urlSecretRef', 'cacheUrlSecretRef'] as const).flatMap((field) => {
      const ref = stores?.redis?.[field];
      return ref === undefined ? [] : [use(`spec.stores.redis.${field}`, ref)];
    }),
    ...(stores?.postgres === undefined ? [] : [use('spec.stores.postgres.urlSecretRef', stores.postgres.urlSecretRef)]),
    ...S3_KEYS.flatMap((key) => {
      const ref = stores?.s3?.secretRef;
      return ref === undefined ? [] : [use('spec.stores.s3.secretRef', { name: ref.name, key })];
    }),
    ...(['postgres', 'clickhouse'] as const).flatMap((database) => {
      const ref = records?.[database]?.urlSecretRef;
      return ref === undefined ? [] : [use(`spec.records.${database}.urlSecretRef`, ref)];
    }),
    ...S3_KEYS.flatMap((key) => {
      const ref = records?.s3?.secretRef;
      return ref === undefined ? [] : [use('spec.records.s3.secretRef', { name: ref.name, key })];
    }),
    ...(tracing?.headersSecretRef === undefined
      ? []
      : [use('spec.tracing.headersSecretRef', tracing.headersSecretRef)]),
    ...listenersOf(fleet).flatMap(({ tlsSecretRef }, i) =>
      tlsSecretRef === undefined
        ? []
        : ['tls.crt', 'tls.key'].map((key) =>
            use(`spec.listeners[${i}].tlsSecretRef`, { name: tlsSecretRef.name, key }, false),
          ),
    ),
    ...env.flatMap(({ secretRef }, i) => (secretRef === undefined ? [] : [use(`spec.env[${i}].secretRef`, secretRef)])),
  ];
}

/**
 * The claimant of Secrets for a fleet and a purpose: fleets of the organisation have priority over what tenants name.
 */
export function secretClaimant(
  purpose: string,
  { namespace = '', name }: ObjectName,
  settings: Pick<FleetSettings, 'fleetNamespaces'>,
): Claimant {
  return {
    id: `${purpose}/${namespace}/${name}`,
    share: isOfOrganisation(namespace, settings) ? undefined : namespace,
  };
}

/** Every Secret the controller has to read for a fleet. */
export function secretKeys(fleet: GatewayFleet): ReadonlySet<ObjectKey> {
  const { name, namespace } = fleet.metadata;
  const names = [
    adminSecretName(name),
    ...secretUses(fleet).map(({ secret }) => secret),
    ...mountedSecrets(fleet).map(({ secret }) => secret),
  ];
  return new Set(names.map((secret) => keyOf({ namespace, name: secret })));
}

/** Secrets without which the volumes of the pods cannot be mounted. */
const mountedSecrets = ({ spec }: GatewayFleet): readonly { readonly path: string; readonly secret: string }[] =>
  (spec.pod?.volumes ?? []).flatMap(({ secret }, i) =>
    secret === undefined || secret.optional === true
      ? []
      : [{ path: `spec.pod.volumes[${i}].secret`, secret: secret.secretName }],
  );

/** Secrets and entries that do not exist, and certificates that cannot be served. */
export function brokenSecrets(fleet: GatewayFleet, secrets: SecretStore): readonly FleetIssue[] {
  const missing = missingSecrets(fleet, secrets);
  return missing.length > 0 ? missing : unusableCertificates(fleet, secrets);
}

function missingSecrets(fleet: GatewayFleet, secrets: SecretStore): readonly FleetIssue[] {
  const { namespace } = fleet.metadata;
  const entries = secretUses(fleet)
    .filter(({ secret, key }) => !entryOf(fleet, secrets, secret, key))
    .map(
      ({ path, secret, key }): FleetIssue => ({
        reason: 'RefNotFound',
        path,
        message: `there is no Secret ${secret} with the key ${key}`,
      }),
    );
  const whole = mountedSecrets(fleet)
    .filter(({ secret }) => secrets.get(keyOf({ namespace, name: secret })) === undefined)
    .map(({ path, secret }): FleetIssue => ({ reason: 'RefNotFound', path, message: `there is no Secret ${secret}` }));
  return [...entries, ...whole];
}

function unusableCertificates(fleet: GatewayFleet, secrets: SecretStore): readonly FleetIssue[] {
  return listenersOf(fleet).flatMap(({ tlsSecretRef }, i): FleetIssue[] => {
    if (tlsSecretRef === undefined) return [];
    const textOf = (key: string): string =>
      Buffer.from(entryOf(fleet, secrets, tlsSecretRef.name, key) ?? '', 'base64').toString();
    const problem = pairProblem(textOf('tls.crt'), textOf('tls.key'));
    if (problem === undefined) return [];
    const message = `in the Secret ${tlsSecretRef.name} ${problem}`;
    return [{ reason: 'InvalidCertificateRef', path: `spec.listeners[${i}].tlsSecretRef`, message }];
  });
}

const CERTIFICATES = /-----BEGIN CERTIFICATE-----[\w+/=\s]+-----END CERTIFICATE-----/g;
const MAX_CERTIFICATES = 16;

/**
 * The certificate authorities, in PEM, with which clients inside the cluster check the listener: `ca.crt` of its Secret, else a
 * certificate that signs itself. Undefined: those of the client's system. Only certificates are copied, whatever the Secret holds.
 */
export function authorityOf(fleet: GatewayFleet, secrets: SecretStore): string | undefined {
  const [listener] = listenersOf(fleet);
  const name = listener?.tlsSecretRef?.name;
  if (name === undefined) return undefined;
  const certificatesIn = (key: string): readonly X509Certificate[] => {
    const text = Buffer.from(entryOf(fleet, secrets, name, key) ?? '', 'base64').toString();
    return (text.match(CERTIFICATES) ?? [])
      .slice(0, MAX_CERTIFICATES)
      .flatMap((pem) => orUndefined(() => new X509Certificate(pem)) ?? []);
  };
  const given = certificatesIn('ca.crt');
  const found =
    given.length > 0
      ? given
      : certificatesIn('tls.crt')
          .slice(0, 1)
          .filter((own) => own.checkIssued(own));
  return found.length === 0 ? undefined : found.map(String).join('');
}

/** Why certificate and key, in PEM, cannot be served. */
function pairProblem(cert: string, key: string): string | undefined {
  const parsed = orUndefined(() => new X509Certificate(cert));
  if (parsed === undefined) return 'tls.crt is no certificate in PEM';
  const secret = orUndefined(() => createPrivateKey(key));
  if (secret === undefined) return 'tls.key is no private key in PEM without a passphrase';
  return parsed.checkPrivateKey(secret) ? undefined : 'tls.key does not belong to the certificate in tls.crt';
}

/** The reason of a failure is not kept: it may quote the input. */
function orUndefined<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}

/**
 * Changes with the content of the Secrets. Keyed by the admin token: more people can read the annotation with it than the
 * Secrets, and could try passwords against a plain digest.
 */
export function digestSecrets(fleet: GatewayFleet, secrets: SecretStore, adminToken: string): string {
  const hash = createHmac('sha256', adminToken);
  for (const { path, secret, key, replacesPods } of secretUses(fleet)) {
    if (!replacesPods) continue;
    hash.update(JSON.stringify([path, key, entryOf(fleet, secrets, secret, key)]));
  }
  return hash.digest('hex').slice(0, 16);
}

const entryOf = (fleet: GatewayFleet, secrets: SecretStore, name: string, key: string): string | undefined =>
  secrets.get(keyOf({ namespace: fleet.metadata.namespace, name }))?.data?.[key];

/**
 * The token of the admin port, base64; created when there is none, never replaced. Undefined: the Secret belongs to somebody
 * else.
 */
export async function ensureAdminToken(
  fleet: GatewayFleet,
  { client, secrets }: { readonly client: Pick<KubeClient, 'create' | 'mergePatch'>; readonly secrets: SecretStore },
  { signal }: CallOptions,
): Promise<string | undefined> {
  const { namespace, name, uid = '' } = fleet.metadata;
  const secret = { namespace, name: adminSecretName(name) };
  const present = secrets.get(keyOf(secret));
  if (present !== undefined && !present.metadata.ownerReferences?.some((owner) => owner.uid === uid)) return undefined;
  const known = present?.data?.[ADMIN_TOKEN_KEY];
  if (known) return known;
  const token = Buffer.from(randomBytes(32).toString('base64url')).toString('base64');
  const data = { [ADMIN_TOKEN_KEY]: token };
  if (present !== undefined) {
    const { resourceVersion } = present.metadata; // another writer may create the token at the same time
    const patch = { metadata: { resourceVersion }, data };
    await client.mergePatch(SECRETS, secret, patch, { signal, fieldManager: FIELD_MANAGER });
    return token;
  }
  const ownerReferences = [{ apiVersion: API_VERSION, kind: 'GatewayFleet', name, uid, controller: true }];
  const metadata = { ...secret, labels: childLabels(fleet), ownerReferences };
  const object = { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', data };
  await client.create<SecretObject>(SECRETS, object, { signal, fieldManager: FIELD_MANAGER });
  return token;
}
