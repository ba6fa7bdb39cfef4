/** Which Secrets an object names: read without validation, since a broken object keeps its Secrets, too. */
import { isObject } from '@gatehouse/crds';
import type { KindName } from '@gatehouse/crds/kinds';
import { mintedSecret } from '../translate/index.ts';

export interface SecretName {
  readonly namespace: string;
  readonly name: string;
}

interface Named {
  readonly metadata: { readonly name: string; readonly namespace?: string | undefined };
  readonly spec?: unknown;
  readonly status?: unknown;
}

type Read = (spec: Readonly<Record<string, unknown>>, object: Named) => readonly unknown[];

/** Levels of targets that are read: as deep as documents may be. */
const MAX_DEPTH = 64;

/** References of each Kind. */
const REFERENCES: Partial<Record<KindName, Read>> = {
  VirtualKey: accountRefs,
  Integration: accountRefs,
  SecretReference: ({ credentialsRef, manager, path }) => [
    credentialsRef,
    ...(manager === 'Kubernetes' ? [{ name: path }] : []),
  ],
  GatewayConfig: ({ config }) => configRefs(config, 0),
  Guardrail: ({ checks }) =>
    Array.isArray(checks) ? checks.map((check) => (isObject(check) ? check['parametersSecretRef'] : undefined)) : [],
  ApiKey: ({ sha256, secretRef }, object) => [
    ...(sha256 === undefined ? [secretRef ?? mintedSecret(object.metadata.name)] : []),
    abandonedSecret(object),
  ],
};

/** The Kinds whose objects name Secrets that a translation reads. */
// The keys of the table are names of Kinds.
export const REFERRING_KINDS = Object.keys(REFERENCES) as KindName[];

/**
 * The Secret with the key that was minted for an ApiKey before the ApiKey named a key itself: its status names it until it has
 * been removed. Undefined for every other object.
 */
export function abandonedSecret({ metadata, spec, status }: Named): SecretName | undefined {
  const { namespace = '' } = metadata;
  const { name } = mintedSecret(metadata.name);
  const { sha256, secretRef } = isObject(spec) ? spec : {};
  const published = isObject(status) && isObject(status['secretRef']) ? status['secretRef']['name'] : undefined;
  const isBrought = sha256 !== undefined || (isObject(secretRef) && secretRef['name'] !== name);
  return isBrought && published === name ? { namespace, name } : undefined;
}

/** Every Secret that an object names, in any namespace; each once. */
export function secretRefsOf(kind: KindName, object: Named): readonly SecretName[] {
  const { namespace = '' } = object.metadata;
  const refs = REFERENCES[kind]?.(isObject(object.spec) ? object.spec : {}, object) ?? [];
  const names = new Map<string, SecretName>();
  for (const ref of refs) {
    if (!isObject(ref) || typeof ref['name'] !== 'string' || ref['name'] === '') continue;
    const place = typeof ref['namespace'] === 'string' ? ref['namespace'] : namespace;
    names.set(`${place}/${ref['name']}`, { namespace: place, name: ref['name'] });
  }
  return [...names.values()];
}

function accountRefs({ secretRef, headersFrom }: Readonly<Record<string, unknown>>): readonly unknown[] {
  const headers = Array.isArray(headersFrom) ? headersFrom : [];
  return [secretRef, ...headers.map((header: unknown) => (isObject(header) ? header['secretRef'] : undefined))];
}

function configRefs(config: unknown, depth: number): readonly unknown[] {
  if (!isObject(config) || depth > MAX_DEPTH) return [];
  const { secretRef, targets } = config;
  const below = Array.isArray(targets) ? targets.flatMap((target) => configRefs(target, depth + 1)) : [];
  return secretRef === undefined ? below : [secretRef, ...below];
}
