import { isObject } from '@gatehouse/crds';
import { toSnake } from '@gatehouse/crds/config';
import type { SpecOf } from '@gatehouse/crds/kinds';
import { API_KEY, PROVIDER_CATALOGUE, secretFieldsOf } from '@gatehouse/crds/providers';
import { virtualKeys } from '@gatehouse/crds/rest';
import { type Body, type Credentials, type Family, type Missing, Refused, type View } from './family.ts';
import { DISPLAY_NAME, decodeFields, encodeFields, type Fields, pathIn, plain, stepsOf } from './fields.ts';
import { LIMIT_FIELDS, settleLimits } from './limits.ts';

type Row = Readonly<Record<string, unknown>>;
type Spec = SpecOf<'VirtualKey'>;

const FIELDS: Fields = {
  ...DISPLAY_NAME,
  description: plain('note'),
  provider: plain('provider'),
  customHost: plain('custom_host'),
  models: plain('models'),
  deployments: {
    rest: 'deploymentConfig',
    encode: (value) => (Array.isArray(value) ? value.filter(isObject).map(encodeDeployment) : undefined),
    decode: (shown) => (Array.isArray(shown) ? shown.filter(isObject).map(decodeDeployment) : undefined),
  },
  ...LIMIT_FIELDS,
  expiresAt: plain('expires_at'),
};

const encodeDeployment = ({ deploymentId, alias, apiVersion, isDefault }: Row): Row =>
  compact({ deploymentName: deploymentId, alias, apiVersion, is_default: isDefault });

const decodeDeployment = ({ deploymentName, alias, apiVersion, is_default: isDefault }: Row): Row =>
  compact({ deploymentId: deploymentName, alias, apiVersion, isDefault });

const compact = (row: Row): Row => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined));

/** The secret fields that a provider may have. */
function secretsOf(provider: string): readonly string[] {
  const entry = PROVIDER_CATALOGUE.get(provider);
  return entry === undefined ? [API_KEY] : secretFieldsOf(entry);
}

/** The credential as members of the body: the API key is `key`, the others have their own names. */
function encodeCredential({ secretRef, provider }: Spec, credentials: Credentials): Body {
  if (secretRef === undefined) return {};
  const path = ['spec', 'secretRef'];
  const { name, key, namespace } = secretRef;
  if (namespace !== undefined) {
    throw new Refused([...path, 'namespace'], 'the management API reads no Secret of another namespace');
  }
  if (key !== undefined) return { key: credentials.entry(name, key, path) };
  const { [API_KEY]: apiKey, ...others } = credentials.entries(name, secretsOf(provider), path);
  return { ...(apiKey === undefined ? {} : { key: apiKey }), ...others };
}

/** REST keeps the fields of the provider, its host and its deployments together. */
function toSpec(view: View, missing: Missing[]): Row {
  const { customHost, deploymentConfig, ...settings } = isObject(view['model_config']) ? view['model_config'] : {};
  const provider = view['ai_provider_name'];
  const members = { ...view, provider, custom_host: customHost, deploymentConfig };
  const named = Object.entries(settings).map(([name, value]) => [toSnake(name), value]);
  return {
    ...decodeFields(members, FIELDS),
    ...(named.length === 0 ? {} : { settings: Object.fromEntries(named) }),
    ...(view['masked_api_key'] === null ? {} : { secretRef: decodeCredential(view, missing) }),
  };
}

/** Which of the fields of a provider with several credentials are set is not shown: all of them are read. */
function decodeCredential({ slug, ai_provider_name: provider }: View, missing: Missing[]): Row {
  const name = String(slug);
  const keys = secretsOf(String(provider));
  for (const key of keys) missing.push({ path: ['spec', 'secretRef'], secret: { name, key } });
  return keys.length === 1 ? { name, key: API_KEY } : { name };
}

const KNOWN = pathIn(FIELDS, { key: 'secretRef', customHost: 'customHost' });
const OWN_MEMBERS: ReadonlySet<string> = new Set(Object.keys(virtualKeys.create.body.shape));

/** A member that is none of its own is a field of the provider. */
function pathOf(param: string) {
  const [first] = stepsOf(param);
  const isField = typeof first === 'string' && !OWN_MEMBERS.has(first) && first !== 'custom_host';
  return isField ? ['spec', 'settings', toSnake(first)] : KNOWN(param);
}

export const VIRTUAL_KEYS: Family<'VirtualKey'> = {
  kind: 'VirtualKey',
  operations: virtualKeys,
  toBody: ({ secretRef, settings = {}, ...spec }, context) => ({
    ...encodeFields(spec, FIELDS, { ...context, implied: { proxyPaths: 'DataPlane' } }),
    ...settings,
    ...encodeCredential({ ...spec, secretRef }, context.credentials),
  }),
  toSpec,
  pathOf,
  settle: settleLimits,
  checkChange: (served, wanted) => {
    if (served['key'] === undefined || wanted['key'] !== undefined) return;
    if (secretsOf(String(wanted['provider'])).length === 1) return;
    const message = 'the management API does not take the credentials of this provider away; delete the object first';
    throw new Refused(['spec', 'secretRef'], message);
  },
  unknown: ['headers', 'headersFrom', 'inspectStreamForOverload', 'proxyPaths'],
};
