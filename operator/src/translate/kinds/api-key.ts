import { type ApiKey, canonicalScope } from '@gatehouse/crds/kinds';
import type { EntryBody } from '@gatehouse/crds/snapshot';
import { awaited, conflicted, type Finding, misplaced, missing, unread } from '../findings.ts';
import { secretOf } from '../holders.ts';
import type { Lookups } from '../lookups.ts';
import { mintedSecret, objectKey, PREVIOUS_KEY } from '../world.ts';
import { configRefFindings } from './config-ref.ts';
import { defineTranslator, type Place } from './contract.ts';

export const apiKey = defineTranslator({
  kind: 'ApiKey',
  make(resource, place, view) {
    const { metadata } = resource;
    const findings: Finding[] = [...typeFindings(resource, place)];
    const sha256 = hashOf(resource, place, view);
    if (typeof sha256 !== 'string') return { drafts: [], findings: [...findings, sha256] };
    const key = objectKey(place.namespace, metadata.name);
    if (view.isContested(sha256) && view.holderOf(sha256) !== key) {
      findings.push(conflicted(hashField(resource), 'another ApiKey with the same key came first'));
    }
    findings.push(...configRefFindings(view, resource.spec.defaults?.configRef?.name, place));
    const body = bodyOf(resource, [sha256, ...previousHash(resource, place, view)]);
    return { drafts: [{ kind: 'key', workspace: place.workspace, name: metadata.name, body }], findings };
  },
});

/** A key of the organisation opens every workspace: it may only stand where the organisation's own people write. */
function typeFindings({ spec }: ApiKey, { workspace }: Place): Finding[] {
  const forOrganisation = spec.type === 'organisation-service';
  if (forOrganisation === (workspace === null)) return [];
  const message = forOrganisation
    ? 'a key of type organisation-service belongs into the namespace of the organisation'
    : `a key of type ${spec.type} belongs into the namespace of a workspace`;
  return [misplaced(['spec', 'type'], message)];
}

const hashField = ({ spec }: ApiKey): string[] => ['spec', spec.sha256 === undefined ? 'secretRef' : 'sha256'];

/** The hash of the key, or why there is none. */
function hashOf(resource: ApiKey, { namespace, settings }: Place, view: Lookups): string | Finding {
  const { sha256, secretRef } = resource.spec;
  if (sha256 !== undefined) return sha256;
  if (secretRef === undefined && !settings.mintsKeys) return UNMINTED;
  const ref = secretOf(resource);
  const message = `the Secret ${ref.name} does not exist or has no entry ${ref.key}`;
  const known = view.hashOf(namespace, ref.name, ref.key);
  if (known !== undefined) return known;
  if (view.isUnread(namespace, ref.name)) return unread(secretRef === undefined ? [] : ['spec', 'secretRef'], ref.name);
  return secretRef === undefined
    ? awaited([], 'the key is being minted')
    : missing(['spec', 'secretRef'], message, 'keep');
}

const UNMINTED: Finding = {
  reason: 'Invalid',
  path: ['spec', 'sha256'],
  message: 'keys are not minted here: give the SHA-256 of a key of your own, or name the Secret that holds it',
  effect: 'keep',
};

/** The key before the last one is good until the operator takes it out of the Secret, and never in place of another's key. */
function previousHash({ metadata, spec }: ApiKey, { namespace, settings }: Place, view: Lookups): string[] {
  if (spec.sha256 !== undefined || spec.secretRef !== undefined || !settings.mintsKeys) return [];
  const sha256 = view.hashOf(namespace, mintedSecret(metadata.name).name, PREVIOUS_KEY);
  return sha256 === undefined || view.holderOf(sha256) !== undefined ? [] : [sha256];
}

function bodyOf({ metadata, spec }: ApiKey, sha256: string[]): EntryBody<'key'> {
  const { metadata: laidOver, configRef, allowConfigOverride = true } = spec.defaults ?? {};
  return {
    name: metadata.name,
    sha256,
    scopes: spec.scopes.map(canonicalScope),
    defaults: {
      ...(laidOver === undefined ? {} : { metadata: laidOver }),
      ...(configRef === undefined ? {} : { config: configRef.name }),
      allowConfigOverride,
    },
    // Limits of tokens have no engine yet and have been refused with the resource.
    rateLimits: (spec.rateLimits ?? []).flatMap(({ type, unit, value }) =>
      type === 'requests' ? [{ type, unit, value }] : [],
    ),
    ...(spec.expiresAt === undefined ? {} : { expiresAt: spec.expiresAt }),
    ...(spec.user === undefined ? {} : { user: spec.user }),
  };
}
