/** What a directory calls: SCIM 2.0 (RFC 7643, RFC 7644). docs/behaviour/scim.md */
import { z } from 'zod';
import { defineOperation, type RestOperation } from './operation.ts';

const SCIM = '/scim/';

/** Called with the token of the directory, below `/scim/v2`, too. */
const scimOperation = <const O extends Omit<RestOperation, 'scopes' | 'protocol' | 'aliases'>>(operation: O) =>
  defineOperation({
    ...operation,
    scopes: [],
    protocol: 'scim',
    aliases: [operation.path.replace(SCIM, `${SCIM}v2/`)],
  });

const int = z.coerce.number().int();
const names = z.string().max(1_024);

const projection = { attributes: names.optional(), excludedAttributes: names.optional() } as const;
const listQuery = z.object({
  filter: z.string().max(1_024).optional(),
  startIndex: int.optional(),
  count: int.optional(),
  ...projection,
});
const oneQuery = z.object(projection);

const schemas = z.array(z.string().max(255)).max(20);
/** Names of attributes are known in upper and lower case, and what is not known is left out. */
const resource = z.looseObject({ schemas: schemas.optional() });

const MAX_OPERATIONS = 100;
const patch = z.looseObject({
  schemas: schemas.optional(),
  Operations: z
    .array(
      z.looseObject({ op: z.string().max(20), path: z.string().max(1_024).nullish(), value: z.unknown().optional() }),
    )
    .min(1)
    .max(MAX_OPERATIONS),
});

const meta = z.object({
  resourceType: z.string(),
  created: z.string().optional(),
  lastModified: z.string().optional(),
  location: z.string(),
});
const reference = z.object({ value: z.string(), display: z.string().optional(), type: z.string().optional() });
/** With `attributes` or `excludedAttributes` some members are left out. */
const user = z
  .object({
    schemas,
    id: z.uuid(),
    externalId: z.string(),
    userName: z.string(),
    name: z.object({ givenName: z.string(), familyName: z.string(), formatted: z.string() }),
    displayName: z.string(),
    active: z.boolean(),
    emails: z.array(z.object({ value: z.string(), type: z.string(), primary: z.boolean() })),
    roles: z.array(z.object({ value: z.string(), primary: z.boolean() })),
    groups: z.array(reference),
    meta,
  })
  .partial();
const group = z
  .object({
    schemas,
    id: z.uuid(),
    externalId: z.string(),
    displayName: z.string(),
    members: z.array(reference),
    meta,
  })
  .partial();

const listOf = (item: z.ZodType) =>
  z.object({ schemas, totalResults: z.int(), startIndex: z.int(), itemsPerPage: z.int(), Resources: z.array(item) });

interface Family {
  readonly plural: 'Users' | 'Groups';
  readonly id: string;
  readonly what: string;
  readonly shape: z.ZodType;
}

const familyOf = <const F extends Family>({ plural, id, what, shape }: F) => {
  const path = `${SCIM}${plural}` as const;
  const one = `${path}/{id}` as const;
  return {
    list: scimOperation({
      ...{ id: `${id}.list`, method: 'GET', path, summary: `Lists ${plural.toLowerCase()} for the directory.` },
      ...{ query: listQuery, answer: listOf(shape) },
    }),
    create: scimOperation({
      ...{ id: `${id}.create`, method: 'POST', path, summary: `Makes ${what} for the directory.` },
      ...{ body: resource, answer: shape },
    }),
    get: scimOperation({
      ...{ id: `${id}.get`, method: 'GET', path: one, summary: `Reads ${what} for the directory.` },
      ...{ query: oneQuery, answer: shape },
    }),
    replace: scimOperation({
      ...{ id: `${id}.replace`, method: 'PUT', path: one, summary: `Writes all that the directory says of ${what}.` },
      ...{ body: resource, answer: shape },
    }),
    patch: scimOperation({
      ...{ id: `${id}.patch`, method: 'PATCH', path: one, summary: `Changes parts of ${what} for the directory.` },
      ...{ body: patch, answer: shape },
    }),
    delete: scimOperation({
      ...{ id: `${id}.delete`, method: 'DELETE', path: one, summary: `Deletes ${what} for the directory.` },
    }),
  } as const;
};

export const scimUsers = familyOf({ plural: 'Users', id: 'scim_users', what: 'a user', shape: user });
export const scimGroupResources = familyOf({
  ...{ plural: 'Groups', id: 'scim_groups', what: 'a group', shape: group },
});

const description = z.looseObject({ schemas });
const descriptions = listOf(description);
const describe = (name: string, summary: string, answer: z.ZodType) =>
  scimOperation({ id: `scim_discovery.${name}`, method: 'GET', path: `${SCIM}${name}`, summary, answer });

export const scimDiscovery = {
  config: describe('ServiceProviderConfig', 'Says which parts of SCIM are served.', description),
  types: describe('ResourceTypes', 'Lists the types of resources that a directory writes.', descriptions),
  type: describe('ResourceTypes/{id}', 'Reads one type of resources.', description),
  schemas: describe('Schemas', 'Lists the schemas of these resources.', descriptions),
  schema: describe('Schemas/{id}', 'Reads one schema.', description),
} as const;
