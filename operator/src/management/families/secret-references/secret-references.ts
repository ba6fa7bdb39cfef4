import { isObject, parseJson } from '@gatehouse/crds';
import { secretReferences } from '@gatehouse/crds/rest';
import type { z } from 'zod';
import { invalid, RestError } from '../../http/rest-error.ts';
import type { Draft, StoredObject } from '../../store/index.ts';
import { newSecretName } from '../account.ts';
import { type BoundOperation, type RestCall, type Services, serveOperation } from '../family.ts';
import { givenFields } from '../fields.ts';
import { workspaceAt } from '../homes.ts';
import { pageOf } from '../pages.ts';
import { newSlug } from '../slugs.ts';
import { absent, type FieldNames, written } from '../write.ts';
import {
  type AuthConfig,
  hasSecrets,
  type ManagerType,
  missingSecrets,
  placeOf,
  type Spec,
  secretsIn,
  showAuth,
  toAuth,
} from './auth-config.ts';
import { showPath, toPath } from './secret-path.ts';

const WHAT = 'secret reference';
const KIND = 'SecretReference';
const NAMES: FieldNames = {
  displayName: 'name',
  path: 'secret_path',
  key: 'secret_key',
  vault: 'auth_config',
  aws: 'auth_config',
  azure: 'auth_config',
  credentialsRef: 'auth_config',
  address: 'vault_addr',
  namespace: 'vault_namespace',
  role: 'vault_role',
  region: 'aws_region',
  roleArn: 'aws_role_arn',
  externalId: 'aws_external_id',
  vaultUrl: 'azure_vault_url',
  tenantId: 'azure_entra_tenant_id',
  clientId: 'azure_entra_client_id',
};
const DEFAULT_PAGE_SIZE = 20;

type Reference = StoredObject<'SecretReference'>;
type Fields = z.output<typeof secretReferences.update.body>;

const TYPES = {
  AwsSecretsManager: 'aws_sm',
  AzureKeyVault: 'azure_kv',
  Vault: 'hashicorp_vault',
  GcpSecretManager: 'gcp_sm',
  Kubernetes: 'kubernetes',
} as const;

const isRestType = (type: string): type is ManagerType => ['aws_sm', 'azure_kv', 'hashicorp_vault'].includes(type);

const toItem = ({ meta, spec }: Reference) => ({
  object: 'secret-reference' as const,
  id: meta.uid,
  slug: meta.name,
  name: spec.displayName ?? meta.name,
  manager_type: TYPES[spec.manager],
  status: 'ACTIVE' as const,
  created_at: meta.createdAt,
  last_updated_at: meta.updatedAt,
});

const toRecord = (object: Reference, organisationId: string) => ({
  ...toItem(object),
  organisation_id: organisationId,
  description: object.spec.description ?? null,
  secret_path: showPath(object.spec),
  secret_key: object.spec.key ?? null,
  allow_all_workspaces: object.spec.allowAllWorkspaces,
  allowed_workspaces: [...(object.spec.allowedWorkspaces ?? [])],
  tags: object.spec.tags === undefined ? null : { ...object.spec.tags },
  auth_config: showAuth(object.spec),
});

interface Known {
  readonly name: string;
  readonly randomName: Services['randomName'];
  readonly type: ManagerType;
  readonly workspaces: Readonly<Record<string, unknown>>;
}

/** What is given over what is there; `before` undefined: nothing is. */
function toDraft(body: Fields, { name, randomName, type, workspaces }: Known, before: Spec | undefined): Draft {
  const config = { ...(before === undefined ? {} : showAuth(before)), ...body.auth_config };
  const auth = toAuth(type, config);
  const path = body.secret_path === undefined ? {} : toPath(type, body.secret_path);
  const vault =
    auth.vault === undefined
      ? {}
      : { vault: { ...before?.vault, namespace: undefined, role: undefined, ...auth.vault, ...path.vault } };
  // The store checks the whole against the schema.
  const spec = {
    ...before,
    ...auth,
    ...vault,
    ...(path.path === undefined ? {} : { path: path.path }),
    ...workspaces,
    ...givenFields({ displayName: body.name, description: body.description, key: body.secret_key, tags: body.tags }),
  } as unknown as Spec;
  return withCredentials(spec, body.auth_config ?? {}, { name, randomName, before });
}

interface Credentials extends Pick<Known, 'name' | 'randomName'> {
  readonly before: Spec | undefined;
}

/** Credentials go nowhere else than they did: for another place they are sent along, and are in a Secret of their own. */
function withCredentials(spec: Spec, config: AuthConfig, { name, randomName, before }: Credentials): Draft {
  const old = before?.credentialsRef?.name;
  if (!hasSecrets(spec))
    return { spec: { ...spec, credentialsRef: undefined }, retired: old === undefined ? [] : [old] };
  const { entries, absent: lacking } = secretsIn(config, spec);
  const kept = before !== undefined && placeOf(before) === placeOf(spec) ? old : undefined;
  if (kept === undefined && lacking.length > 0) throw missingSecrets(lacking);
  const secret = kept ?? newSecretName(name, randomName);
  return {
    spec: { ...spec, credentialsRef: { name: secret } },
    ...(Object.keys(entries).length === 0 ? {} : { secret: { name: secret, entries } }),
    retired: old === undefined || old === secret ? [] : [old],
  };
}

/** The workspaces that a body allows, by their slugs. Throws RestError REFERENCE_ABSENT. */
async function toWorkspaces(
  { allow_all_workspaces: all, allowed_workspaces: allowed }: Fields,
  { caller, isNew }: { readonly caller: RestCall['caller']; readonly isNew: boolean },
  { tenancy }: Services,
): Promise<Readonly<Record<string, unknown>>> {
  if (all === true && allowed !== undefined) {
    const message = 'allow_all_workspaces and allowed_workspaces exclude each other';
    throw invalid([{ code: 'invalid', path: ['allowed_workspaces'], message }], 'body');
  }
  if (allowed !== undefined) {
    const found = await Promise.all(
      allowed.map((named, i) => workspaceAt(`allowed_workspaces[${i}]`, named, { caller, tenancy })),
    );
    return { allowAllWorkspaces: false, allowedWorkspaces: [...new Set(found.map(({ slug }) => slug))] };
  }
  const open = all ?? (isNew ? true : undefined);
  if (open === undefined) return {};
  return open ? { allowAllWorkspaces: true, allowedWorkspaces: undefined } : { allowAllWorkspaces: false };
}

/** No key of a workspace has the scopes; were one to have them, it would read what is lent to others. */
function refuseWorkspaceKeys({ workspace }: RestCall['caller']): void {
  if (workspace === undefined) return;
  throw new RestError('FORBIDDEN', { message: 'Secret references are for keys of the organisation' });
}

/** Of the organisation. Throws RestError ABSENT, FORBIDDEN for keys of workspaces. */
async function find(
  { caller, path }: Pick<RestCall, 'caller' | 'path'>,
  { store, tenancy }: Services,
): Promise<Reference> {
  refuseWorkspaceKeys(caller);
  const { namespace } = tenancy.organisation;
  const named = path['secretReferenceId'] ?? '';
  const object = (await store.get({ kind: KIND, namespace, name: named })) ?? (await store.find(KIND, named));
  if (object?.meta.namespace !== namespace) throw absent(WHAT);
  return object;
}

const placeIn = ({ meta: { namespace, name } }: Reference) => ({ kind: KIND, namespace, name }) as const;

/** Tags that a query names, as a JSON object. */
function tagsIn(text: string | undefined): readonly [string, unknown][] {
  if (text === undefined) return [];
  try {
    const value = parseJson(text);
    if (isObject(value)) return Object.entries(value);
  } catch {
    // as what is no object
  }
  throw invalid([{ code: 'invalid', path: ['tags'], message: 'expected a JSON object' }], 'query');
}

export const SECRET_REFERENCES: readonly BoundOperation[] = [
  serveOperation(secretReferences.list, async ({ caller, query }, { store, tenancy }) => {
    refuseWorkspaceKeys(caller);
    const tags = tagsIn(query.tags);
    const search = query.search?.toLowerCase() ?? '';
    const all = await store.list(KIND, tenancy.organisation.namespace);
    const wanted = all.filter(
      ({ meta, spec }) =>
        (query.manager_type === undefined || TYPES[spec.manager] === query.manager_type) &&
        [meta.name, spec.displayName ?? ''].some((name) => name.toLowerCase().includes(search)) &&
        tags.every(([name, value]) => spec.tags?.[name] === value),
    );
    return pageOf(wanted, { ...query, page_size: query.page_size ?? query.pageSize ?? DEFAULT_PAGE_SIZE }, toItem);
  }),
  serveOperation(secretReferences.create, async ({ caller, body, force }, services) => {
    const { store, tenancy, randomName } = services;
    refuseWorkspaceKeys(caller);
    if (body.organisation_id !== undefined && body.organisation_id !== tenancy.organisationId)
      throw new RestError('ABSENT', { message: 'The organisation does not exist', param: 'organisation_id' });
    const name = body.slug ?? newSlug({ prefix: '', name: body.name, length: 30 }, randomName);
    const workspaces = await toWorkspaces(body, { caller, isNew: true }, services);
    const draft = toDraft(body, { name, randomName, type: body.manager_type, workspaces }, undefined);
    const place = { kind: KIND, namespace: tenancy.organisation.namespace, name } as const;
    const { meta } = written(await store.create(place, draft, { force }), WHAT, NAMES);
    return { id: meta.uid, slug: meta.name, object: 'secret-reference' as const };
  }),
  serveOperation(secretReferences.get, async (call, services) =>
    toRecord(await find(call, services), services.tenancy.organisationId),
  ),
  serveOperation(secretReferences.update, async (call, services) => {
    const object = await find(call, services);
    const workspaces = await toWorkspaces(call.body, { caller: call.caller, isNew: false }, services);
    const { name } = object.meta;
    const change = ({ spec }: Reference): Draft => {
      const type = TYPES[spec.manager];
      if (!isRestType(type)) {
        const message = `a secret reference of ${type} is changed where it is declared`;
        throw invalid([{ code: 'invalid', path: ['manager_type'], message }], 'body');
      }
      return toDraft(call.body, { name, randomName: services.randomName, type, workspaces }, spec);
    };
    written(await services.store.update(placeIn(object), change, { force: call.force }), WHAT, NAMES);
    return {};
  }),
  serveOperation(secretReferences.delete, async (call, services) => {
    const gone = await services.store.delete(placeIn(await find(call, services)), { force: call.force });
    if (!gone.ok && gone.error.kind === 'in-use') {
      const message = `the ${WHAT} is used by ${gone.error.users.join(', ')}`;
      throw invalid([{ code: 'invalid', path: ['secretReferenceId'], message }], 'body');
    }
    written(gone, WHAT);
    return {};
  }),
];
