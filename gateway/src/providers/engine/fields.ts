import { API_KEY, PROVIDER_CATALOGUE, secretFieldsOf } from '@gatehouse/crds/providers';
import { AppError } from '../../errors/index.ts';
import { type MaybeSecret, reveal, Secret } from '../../lib/secret.ts';
import type { Call, Provider, TargetFields } from '../contract.ts';
import { DEFAULT_VALUE } from './shape-body.ts';

const CUSTOM_HOST = 'custom_host';

/** Headers of the fields that every provider has. */
const COMMON_HEADERS: ReadonlyMap<string, string> = new Map([
  [API_KEY, 'authorization'],
  [CUSTOM_HOST, 'x-gw-custom-host'],
]);

/**
 * The values of a target behind the accessors that hooks see: credentials only as `Secret`, the rest as text. Values are
 * trimmed (a key file often ends in a newline); an empty one counts as absent. The custom host is not among
 * them: it passes checks of its own, by who named it.
 */
export function createFields(provider: Provider, values: ReadonlyMap<string, MaybeSecret>): TargetFields {
  const names: ReadonlySet<string> = new Set(secretNames(provider));
  const texts = new Map<string, string>();
  const secrets = new Map<string, Secret>();
  for (const [key, raw] of values) {
    const value = reveal(raw).trim();
    if (value === '' || key === CUSTOM_HOST) continue;
    if (typeof raw !== 'string' || names.has(key)) secrets.set(key, new Secret(value));
    else texts.set(key, value);
  }
  return { text: (key) => texts.get(key), secret: (key) => secrets.get(key) };
}

/** The credentials of a target. */
export function* secretsOf(provider: Pick<Provider, 'id'>, fields: TargetFields): Generator<Secret> {
  for (const key of secretNames(provider)) {
    const secret = fields.secret(key);
    if (secret !== undefined) yield secret;
  }
}

const secretNames = ({ id }: Pick<Provider, 'id'>): readonly string[] => {
  const entry = PROVIDER_CATALOGUE.get(id);
  return entry === undefined ? [API_KEY] : secretFieldsOf(entry);
};

/** The error for a missing field that the provider needs; it names the field and its header. */
export function fieldMissing(providerId: string, key: string): AppError {
  const header = headerOf(providerId, key);
  const where = header === undefined ? '' : ` (header ${header})`;
  return new AppError('PROVIDER_FIELD_MISSING', {
    detail: `${providerId} needs the field ${key}${where}`,
    param: key,
    provider: providerId,
  });
}

/** The model of a call that needs one. Throws AppError `MODEL_REQUIRED`. */
export function requireModel(call: Call): string {
  if (call.model !== '' && call.model !== DEFAULT_VALUE) return call.model;
  throw new AppError('MODEL_REQUIRED', {
    param: 'model',
    provider: call.provider,
    detail: `The request names no model, and ${call.provider} needs one: send it as model, or set it in override_params or default_params of the config`,
  });
}

function headerOf(providerId: string, key: string): string | undefined {
  const own = PROVIDER_CATALOGUE.get(providerId)?.fields.find((field) => field.key === key);
  return own === undefined ? COMMON_HEADERS.get(key) : own.header;
}
