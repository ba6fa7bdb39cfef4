import { type ApiKey, canonicalScope } from '@gatehouse/crds/kinds';
import type { EntryBody } from '@gatehouse/crds/snapshot';
import { sharing } from '../incremental/index.ts';
import type { Lookups } from '../types/index.ts';
import {
  conflicted,
  defineRule,
  type Finding,
  mintedSecret,
  missing,
  type ObjectScope,
  objectKey,
  PREVIOUS_KEY,
  pending,
  secretKeyOf,
  secretUnread,
  wrongNamespace,
} from '../types/index.ts';
import {
  allowedByRole,
  configRefFindings,
  keySecretOf,
  limitsOf,
  losesClaim,
  policyFindings,
  previousClaim,
  remaining,
} from './shared/index.ts';

export const apiKey = defineRule({
  kind: 'ApiKey',
  check: ({ metadata: { name }, spec }) =>
    spec.sha256 === undefined && spec.secretRef === undefined && mintedSecret(name).name.length > MAX_NAME
      ? [{ code: 'invalid', path: ['metadata', 'name'], message: NAME_TOO_LONG }]
      : [],
  translate(resource, scope, view) {
    const { metadata } = resource;
    const findings: Finding[] = [...typeFindings(resource, scope), ...policyFindings(resource, scope, view)];
    const key = objectKey(scope.namespace, metadata.name);
    const role = allowedByRole(resource, scope, view);
    findings.push(...role.findings);
    const sha256 = hashOf(resource, scope, view);
    const held = typeof sha256 === 'string' ? sha256 : view.claimedHash(key);
    if (losesClaim(key, held, view)) findings.push(conflicted(hashField(resource), OUTRANKED));
    if (typeof sha256 !== 'string') return { entries: [], findings: [...findings, sha256] };
    findings.push(...configRefFindings(view, resource.spec.defaults?.configRef?.name, scope));
    const hashes = { sha256: [sha256, ...previousHash(resource, scope, view)], ...previousOf(resource, key, view) };
    const body = bodyOf(resource, hashes, role.scopes);
    return { entries: [{ kind: 'key', workspace: scope.workspace, name: metadata.name, body }], findings };
  },
});

const OUTRANKED =
  'another ApiKey with the same key goes before this one: it came first, or it has the key and this one only its hash';

/** Bound of the names of Secrets and of most objects of Kubernetes. */
const MAX_NAME = 253;
const NAME_TOO_LONG = `is too long for the name of the Secret into which a key is minted: at most ${MAX_NAME - mintedSecret('').name.length} characters`;

/** A key of the organisation works in every workspace, so it is served only from the organisation's namespace. */
function typeFindings({ spec }: ApiKey, { workspace }: ObjectScope): Finding[] {
  const forOrganisation = spec.type === 'organisation-service';
  if (forOrganisation === (workspace === null)) return [];
  const message = forOrganisation
    ? 'a key of type organisation-service belongs into the namespace of the organisation'
    : `a key of type ${spec.type} belongs into the namespace of a workspace`;
  return [wrongNamespace(['spec', 'type'], message)];
}

const hashField = ({ spec }: ApiKey): string[] => ['spec', spec.sha256 === undefined ? 'secretRef' : 'sha256'];

/** The hash of the key, or why there is none. */
function hashOf(resource: ApiKey, { namespace, settings }: ObjectScope, view: Lookups): string | Finding {
  const { sha256, secretRef } = resource.spec;
  if (sha256 !== undefined) return sha256;
  if (secretRef === undefined && !settings.mintsKeys) return UNMINTED;
  const { name, key, owner } = keySecretOf(resource);
  const known = view.hashOf(namespace, name, key, owner);
  if (known !== undefined) return known;
  const path = secretRef === undefined ? [] : ['spec', 'secretRef'];
  const data = view.secret(namespace, name);
  const why = data === undefined ? secretUnread(path, { namespace, secret: name, view }) : undefined;
  if (why !== undefined) return why;
  if (secretRef !== undefined) {
    const message = `the Secret ${name} does not exist or has no entry ${key}`;
    return missing(path, message, 'keep', [secretKeyOf(namespace, name)]);
  }
  return data === undefined || data.owner === owner ? pending(path, 'the key is being minted') : taken(name);
}

const taken = (secret: string): Finding =>
  conflicted(
    ['metadata', 'name'],
    `the Secret ${secret}, into which the key is to be minted, is there already and is not of this ApiKey: name it in spec.secretRef, or remove it`,
  );

const UNMINTED: Finding = {
  reason: 'Invalid',
  path: ['spec', 'sha256'],
  message: 'keys are not minted here: give the SHA-256 of a key of your own, or name the Secret that holds it',
  effect: 'keep',
};

/**
 * The previous key is valid until the operator removes it from the Secret; it never takes the place of another ApiKey's key.
 */
function previousHash({ metadata, spec }: ApiKey, { namespace, settings }: ObjectScope, view: Lookups): string[] {
  if (spec.sha256 !== undefined || spec.secretRef !== undefined || !settings.mintsKeys) return [];
  const sha256 = view.hashOf(namespace, mintedSecret(metadata.name).name, PREVIOUS_KEY, metadata.uid);
  return sha256 === undefined || view.claimWinner(sha256) !== undefined ? [] : [sha256];
}

/** The previous key of a resource with hashes, unless another ApiKey has it. */
function previousOf({ spec: { previousKey } }: ApiKey, key: string, view: Lookups): Pick<EntryBody<'key'>, 'previous'> {
  const isServed = previousKey !== undefined && view.claimWinner(previousKey.sha256) === previousClaim(key);
  return isServed ? { previous: previousKey } : {};
}

/** The members are in the order of canonical JSON, which is written several times per entry. */
function bodyOf(
  { metadata, spec }: ApiKey,
  { sha256, previous }: Pick<EntryBody<'key'>, 'sha256' | 'previous'>,
  allowed?: ReadonlySet<string>,
): EntryBody<'key'> {
  const { metadata: laidOver, configRef, allowConfigOverride = true } = spec.defaults ?? {};
  return {
    defaults: {
      allowConfigOverride,
      ...(configRef === undefined ? {} : { config: configRef.name }),
      ...(laidOver === undefined ? {} : { metadata: laidOver }),
    },
    ...(spec.expiresAt === undefined ? {} : { expiresAt: spec.expiresAt }),
    ...(spec.headersToMask === undefined ? {} : { headersToMask: [...spec.headersToMask] }),
    name: metadata.name,
    ...(previous === undefined ? {} : { previous }),
    rateLimits: [...(spec.rateLimits ?? [])],
    scopes: sharing(remaining(spec.scopes, allowed).map(canonicalScope), spec.scopes),
    sha256,
    ...limitsOf({ usageLimits: spec.usageLimits }),
    ...(spec.user === undefined ? {} : { user: spec.user }),
  };
}
