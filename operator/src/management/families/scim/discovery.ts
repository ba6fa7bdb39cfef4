/** What is served of SCIM, as directories ask for it (RFC 7643, sections 5 to 7). */
import { scimDiscovery } from '@gatehouse/crds/rest';
import { type BoundOperation, type ScimAnswer, serveScim } from '../family.ts';
import { absent } from '../write.ts';
import { listAnswer, MAX_PAGE } from './answers.ts';
import { GROUP_SCHEMA } from './group-resource.ts';
import { USER_SCHEMA } from './user-resource.ts';

const SPEC = 'urn:ietf:params:scim:schemas:core:2.0:';
const BASE = '/v1/scim/v2';

const meta = (resourceType: string, path: string) => ({ meta: { resourceType, location: `${BASE}/${path}` } });
const off = { supported: false } as const;

const CONFIG = {
  schemas: [`${SPEC}ServiceProviderConfig`],
  patch: { supported: true },
  bulk: { ...off, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: MAX_PAGE },
  changePassword: off,
  sort: off,
  etag: off,
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Bearer token',
      description: 'The SCIM token of the organisation, as Authorization: Bearer.',
      primary: true,
    },
  ],
  ...meta('ServiceProviderConfig', 'ServiceProviderConfig'),
};

const typeOf = (name: string, schema: string) => ({
  schemas: [`${SPEC}ResourceType`],
  ...{ id: name, name, endpoint: `/${name}s`, schema },
  ...meta('ResourceType', `ResourceTypes/${name}`),
});
const TYPES = [typeOf('User', USER_SCHEMA), typeOf('Group', GROUP_SCHEMA)];

interface AttributeOptions {
  readonly type?: 'string' | 'boolean' | 'complex';
  readonly multiValued?: boolean;
  readonly required?: boolean;
  readonly caseExact?: boolean;
  readonly mutability?: 'readOnly' | 'readWrite' | 'immutable';
  readonly uniqueness?: 'none' | 'server';
  readonly subAttributes?: readonly object[];
}

function attribute(name: string, description: string, options: AttributeOptions = {}): object {
  const { type = 'string', subAttributes, ...rest } = options;
  const defaults = { multiValued: false, required: false, mutability: 'readWrite', returned: 'default' };
  const ofText = type === 'string' ? { caseExact: false, uniqueness: 'none' } : {};
  return {
    ...{ name, type, description },
    ...{ ...defaults, ...ofText, ...rest },
    ...(subAttributes === undefined ? {} : { subAttributes }),
  };
}

const value = (description: string) => attribute('value', description);
const primary = attribute('primary', 'Whether it is the one that counts.', { type: 'boolean' });
const readOnly = { mutability: 'readOnly' } as const;

const USER = {
  schemas: [`${SPEC}Schema`],
  ...{ id: USER_SCHEMA, name: 'User', description: 'A person of the organisation.' },
  attributes: [
    attribute('userName', 'The name that the person signs in with.', { required: true, uniqueness: 'server' }),
    attribute('externalId', 'What the directory calls the person.', { caseExact: true }),
    attribute('displayName', 'How the person is shown.'),
    attribute('active', 'False: the person has no access.', { type: 'boolean' }),
    attribute('name', 'The parts of the name.', {
      type: 'complex',
      subAttributes: [
        attribute('givenName', 'The first name.'),
        attribute('familyName', 'The last name.'),
        attribute('formatted', 'Both.', readOnly),
      ],
    }),
    attribute('emails', 'One address is kept: the primary one, or that of work.', {
      ...{ type: 'complex', multiValued: true },
      subAttributes: [value('The address, of one person only.'), attribute('type', 'work.'), primary],
    }),
    attribute('roles', 'The role in the organisation: owner, admin or member.', {
      ...{ type: 'complex', multiValued: true },
      subAttributes: [value('The role.'), primary],
    }),
    attribute('groups', 'The groups of the person.', {
      ...{ type: 'complex', multiValued: true, ...readOnly },
      subAttributes: [
        attribute('value', 'The id of the group.', readOnly),
        attribute('display', 'Its name.', readOnly),
      ],
    }),
  ],
  ...meta('Schema', `Schemas/${USER_SCHEMA}`),
};

const GROUP = {
  schemas: [`${SPEC}Schema`],
  ...{ id: GROUP_SCHEMA, name: 'Group', description: 'A group of people, which mappings bring into workspaces.' },
  attributes: [
    attribute('displayName', 'The name of the group.', { required: true, uniqueness: 'server' }),
    attribute('externalId', 'What the directory calls the group.', { caseExact: true }),
    attribute('members', 'The people of the group.', {
      ...{ type: 'complex', multiValued: true },
      subAttributes: [
        attribute('value', 'The id of a user.', { mutability: 'immutable' }),
        attribute('display', 'The e-mail address.', readOnly),
        attribute('type', 'User.', readOnly),
      ],
    }),
  ],
  ...meta('Schema', `Schemas/${GROUP_SCHEMA}`),
};
const SCHEMAS = [USER, GROUP];

function oneOf(all: readonly { readonly id: string }[], id: string | undefined): ScimAnswer {
  const found = all.find((one) => one.id === id);
  if (found === undefined) throw absent('description');
  return { status: 200, body: found };
}

export const SCIM_DISCOVERY: readonly BoundOperation[] = [
  serveScim(scimDiscovery.config, async () => ({ status: 200, body: CONFIG })),
  serveScim(scimDiscovery.types, async () => listAnswer(TYPES, TYPES.length, 1)),
  serveScim(scimDiscovery.type, async ({ path }) => oneOf(TYPES, path['id'])),
  serveScim(scimDiscovery.schemas, async () => listAnswer(SCHEMAS, SCHEMAS.length, 1)),
  serveScim(scimDiscovery.schema, async ({ path }) => oneOf(SCHEMAS, path['id'])),
];
