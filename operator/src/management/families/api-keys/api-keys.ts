import { createHash } from 'node:crypto';
import { API_KEY_TYPES, type ApiKeyType, canonicalScope, SCOPES } from '@gatehouse/crds/kinds';
import { apiKeys } from '@gatehouse/crds/rest';
import { authorize, type Caller } from '../../callers/index.ts';
import { RestError } from '../../http/rest-error.ts';
import type { Home, Tenancy } from '../../tenancy/index.ts';
import { type BoundOperation, type RestCall, type Services, serveOperation } from '../family.ts';
import { findObject } from '../find.ts';
import { keyNameIn } from '../key-ids.ts';
import { pageOfWanted } from '../pages.ts';
import { newSlug } from '../slugs.ts';
import { type FieldNames, written } from '../write.ts';
import { type ApiKeyObject, configNameOf, MASKED_KEY, toFields, toView } from './spec.ts';

const WHAT = 'API key';
const KIND = 'ApiKey';
const NAMES: FieldNames = {
  displayName: 'name',
  user: 'user_id',
  configRef: 'config_id',
  rotation: 'rotation_policy',
  period: 'rotation_period',
  periodDays: 'rotation_period_days',
  transitionMinutes: 'key_transition_period_ms',
};
const PREFIX = 'gwk_';
/** Of 36: more than 200 bits. */
const KEY_CHARACTERS = 40;
const MASK_ENDS = 2;

const SHORTEST_TRANSITION_MS = 30 * 60_000;

type Action = 'create' | 'read' | 'update' | 'delete' | 'list' | 'rotate';

const scopeOf = (type: ApiKeyType, action: Action): string => `${type.replace('-', '_')}_api_keys.${action}`;

/**
 * Nobody gives a scope that they do not have; `before` are those that the key has already, and unknown ones are refused with the
 * object. Throws RestError FORBIDDEN.
 */
function mayGrant(
  { scopes: own, keyName }: Caller,
  scopes: readonly string[] = [],
  before: readonly string[] = [],
): void {
  const held = new Set(before.map(canonicalScope));
  const isMissing = (scope: string): boolean => SCOPES.has(scope) && !own.has(scope) && !held.has(scope);
  const missing = scopes.map(canonicalScope).filter(isMissing);
  if (missing.length === 0) return;
  const message = `The key ${keyName} cannot give the scope ${missing.join(', ')}, which it does not have`;
  throw new RestError('FORBIDDEN', { message, param: 'scopes' });
}

function typeOf({ type, subType }: Readonly<Record<string, string>>): ApiKeyType {
  const known = API_KEY_TYPES.find((one) => one === `${type}-${subType}`);
  if (known !== undefined) return known;
  throw new RestError('INVALID', {
    message: `expected /api-keys/ and one of ${API_KEY_TYPES.join(', ').replaceAll('-', '/')}`,
  });
}

/** Keys of the organisation are made by keys of the organisation. */
async function homeOf(type: ApiKeyType, caller: Caller, named: string | undefined, tenancy: Tenancy): Promise<Home> {
  if (type !== 'organisation-service') return tenancy.workspaceOf(caller, named);
  if (caller.workspace === undefined) return tenancy.organisation;
  throw new RestError('FORBIDDEN', { message: 'A key of a workspace makes no keys of the organisation' });
}

async function find(call: Pick<RestCall, 'caller' | 'path'>, services: Services, action: Action) {
  const { object, home } = await findObject(KIND, call.path['id'] ?? '', { call, services, nameIn: keyNameIn }, WHAT);
  authorize(call.caller, [scopeOf(object.spec.type, action)]);
  const { namespace, name } = object.meta;
  return { object, home, place: { kind: KIND, namespace, name } as const };
}

function newKey(randomName: Services['randomName']) {
  const key = `${PREFIX}${randomName(KEY_CHARACTERS)}`;
  return {
    key,
    sha256: createHash('sha256').update(key).digest('hex'),
    annotations: { [MASKED_KEY]: `${key.slice(0, MASK_ENDS)}********${key.slice(-MASK_ENDS)}` },
  };
}

/** Throws RestError for a key that is in a Secret, and while the key before it works: there are two at most. */
function hashToReplace({ sha256, previousKey }: ApiKeyObject['spec'], nowMs: number): string {
  if (sha256 === undefined) {
    throw new RestError('INVALID', {
      message: `The ${WHAT} is in a Secret: replace it there, or where the operator has generated it, rotate it with the annotation gatehouse.dev/rotate`,
      param: 'id',
    });
  }
  if (previousKey === undefined || Date.parse(previousKey.expiresAt) <= nowMs) return sha256;
  throw new RestError('CONFLICT', {
    message: `The ${WHAT} cannot be rotated while the previous one works, until ${previousKey.expiresAt}`,
  });
}

export const API_KEYS: readonly BoundOperation[] = [
  serveOperation(apiKeys.create, async ({ caller, path, body, force }, services) => {
    const { store, tenancy, randomName } = services;
    const type = typeOf(path);
    authorize(caller, [scopeOf(type, 'create')]);
    mayGrant(caller, body.scopes);
    const home = await homeOf(type, caller, body.workspace_id ?? undefined, tenancy);
    const { key, sha256, annotations } = newKey(randomName);
    const configName = await configNameOf(body, home.namespace, services);
    const fields = toFields(body, {}, { configName, nowMs: services.now() });
    const name = body.slug ?? newSlug({ prefix: '', name: body.name, length: 20 }, randomName);
    const spec = { type, user: body.user_id ?? undefined, ...fields, sha256 };
    const made = await store.create({ kind: KIND, namespace: home.namespace, name }, { spec, annotations }, { force });
    return { id: written(made, WHAT, NAMES).meta.uid, key, object: 'api-key' as const };
  }),
  serveOperation(apiKeys.list, async ({ caller, query }, { store, tenancy, now }) => {
    const named = query.workspace_id ?? caller.workspace;
    const home = named === undefined ? tenancy.organisation : await tenancy.workspaceOf(caller, named);
    const ids = query.ids === undefined ? undefined : new Set(query.ids.split(',').map((id) => id.trim()));
    const types = new Set(API_KEY_TYPES.filter((type) => caller.scopes.has(scopeOf(type, 'list'))));
    const shown = { home, tenancy, nowMs: now() };
    return pageOfWanted(await store.list(KIND, home.namespace), query, {
      isWanted: ({ meta, spec }) => types.has(spec.type) && (ids === undefined || ids.has(meta.uid)),
      render: (object) => toView(object, shown),
    });
  }),
  serveOperation(apiKeys.get, async (call, services) => {
    const { object, home } = await find(call, services, 'read');
    return toView(object, { home, tenancy: services.tenancy, nowMs: services.now() });
  }),
  serveOperation(apiKeys.update, async (call, services) => {
    const { object, place } = await find(call, services, 'update');
    mayGrant(call.caller, call.body.scopes, object.spec.scopes);
    const configName = await configNameOf(call.body, place.namespace, services);
    const resolved = { configName, nowMs: services.now() };
    const change = ({ spec }: ApiKeyObject) => ({ spec: { ...toFields(call.body, spec, resolved) } });
    written(await services.store.update(place, change, { force: call.force }), WHAT, NAMES);
    return {};
  }),
  serveOperation(apiKeys.rotate, async (call, services) => {
    const { object, place } = await find(call, services, 'rotate');
    mayGrant(call.caller, object.spec.scopes);
    const { key, sha256, annotations } = newKey(services.randomName);
    const transitionMs = call.body.key_transition_period_ms ?? SHORTEST_TRANSITION_MS;
    const expiresAt = new Date(services.now() + transitionMs).toISOString();
    const change = ({ spec }: ApiKeyObject) => ({
      spec: { ...spec, sha256, previousKey: { sha256: hashToReplace(spec, services.now()), expiresAt } },
      annotations,
    });
    written(await services.store.update(place, change, { force: call.force }), WHAT, NAMES);
    return { id: object.meta.uid, key, key_transition_expires_at: expiresAt };
  }),
  serveOperation(apiKeys.delete, async (call, services) => {
    const { place } = await find(call, services, 'delete');
    written(await services.store.delete(place, { force: call.force }), WHAT);
    return {};
  }),
];
