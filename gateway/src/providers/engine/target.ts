import { PROVIDER_CATALOGUE } from '@gatehouse/crds/providers';
import { AppError } from '../../errors/index.ts';
import { isCredentialHeader } from '../../lib/header-names.ts';
import type { Secret } from '../../lib/secret.ts';
import type { Call, Provider, TargetFields } from '../contract.ts';
import { type CompiledProvider, compileProvider } from './compile.ts';
import { fieldMissing, secretsOf } from './fields.ts';
import { type CompiledTemplate, renderTemplate } from './template.ts';
import { type Base, hostText, splitBase } from './url.ts';

export interface TargetOptions {
  /** Replaces the base URL whole, version segment included. */
  readonly customHost?: string;
  /** The identity of the gateway's own pod may be used. */
  readonly ownIdentity?: boolean;
  /** The credential did not come with the call: nothing in the call may choose where it goes or what it reaches. */
  readonly stored?: boolean;
  /** Proxied calls may reach administrative paths: set by the owner of the account. */
  readonly allPaths?: boolean;
  /** Stored custom headers of a managed provider: they replace the provider's own, like forwarded ones. */
  readonly headers?: ReadonlyMap<string, Secret>;
}

/** A provider with the values of one target; everything that does not depend on a request is precomputed. */
export interface PreparedTarget {
  readonly provider: Provider;
  /** The values of the target; `custom_host` is among the texts when it is set. */
  readonly fields: TargetFields;
  readonly compiled: CompiledProvider;
  readonly customHost: boolean;
  /** A field or config names the host, not the provider's declaration. */
  readonly namedHost: boolean;
  readonly ownIdentity: boolean;
  readonly stored: boolean;
  readonly allPaths: boolean;
  /** An error is thrown by the first call that needs it; undefined: depends on the call. */
  readonly base: Base | AppError | undefined;
  /** For requests with and without a JSON body. */
  readonly jsonHeaders: Readonly<Record<string, string>>;
  readonly bareHeaders: Readonly<Record<string, string>>;
  readonly customHeaders: ReadonlyMap<string, Secret>;
  /** The credentials of the target. */
  readonly secrets: readonly Secret[];
}

const NO_HEADERS: ReadonlyMap<string, Secret> = new Map();

/**
 * Precomputes what the requests of a target have in common; once per Snapshot for managed providers and saved configs.
 * Never fails: a missing value is reported by the request that needs it.
 */
export function prepareTarget(provider: Provider, fields: TargetFields, options: TargetOptions = {}): PreparedTarget {
  const { customHost, ownIdentity = false, stored = false, allPaths = false, headers = NO_HEADERS } = options;
  const compiled = compileProvider(provider);
  const known = customHost === undefined ? fields : withCustomHost(fields, customHost);
  const own = Object.fromEntries(headersOf(compiled, known));
  const namedHost = customHost !== undefined || namesUrl(provider, fields);
  return {
    provider,
    fields: known,
    compiled,
    customHost: customHost !== undefined,
    namedHost,
    ownIdentity,
    stored,
    allPaths,
    base: customHost === undefined ? ownBase(provider, compiled, known) : customBase(customHost),
    jsonHeaders: { 'content-type': 'application/json', ...own },
    bareHeaders: own,
    customHeaders: new Map([...headers].map(([name, value]) => [name.toLowerCase(), value])),
    secrets: [...secretsOf(provider, fields)],
  };
}

/** Whether the target has a credential: a secret field, or a custom header that holds one. */
export const holdsCredential = ({ secrets, customHeaders }: PreparedTarget): boolean =>
  secrets.length > 0 || [...customHeaders.keys()].some(isCredentialHeader);

/** Whether one of the values is the address of the provider. */
const namesUrl = ({ id }: Provider, fields: TargetFields): boolean =>
  (PROVIDER_CATALOGUE.get(id)?.fields ?? []).some(({ key, url }) => url === true && fields.text(key) !== undefined);

/** The base URL for a call. Throws AppError when the target cannot be called. */
export function baseOf(target: PreparedTarget, call: Call): Base {
  const base = target.base ?? callBase(target, call);
  if (base instanceof AppError) throw base;
  return base;
}

function ownBase(provider: Provider, compiled: CompiledProvider, fields: TargetFields): Base | AppError | undefined {
  const { baseUrl } = compiled;
  return compiled.basePerCall || typeof baseUrl === 'function' ? undefined : renderBase(provider, baseUrl, fields);
}

function renderBase(provider: Provider, template: CompiledTemplate, fields: TargetFields): Base | AppError {
  // A placeholder at the start holds the whole URL; elsewhere a value may only be part of a host name.
  const whole = typeof template.parts[0] === 'string' ? undefined : template.parts[0]?.key;
  try {
    const url = renderTemplate(template, (key) => {
      const value = fields.text(key);
      return value === undefined || key === whole ? value : hostText(value, key);
    });
    return url.ok ? (splitBase(url.value) ?? badUrl(whole ?? 'base URL')) : fieldMissing(provider.id, url.error);
  } catch (thrown) {
    if (thrown instanceof AppError) return thrown;
    throw thrown;
  }
}

/** The base URL as the provider makes it for one call. */
function callBase(target: PreparedTarget, call: Call): Base | AppError {
  const { baseUrl } = target.compiled;
  if (typeof baseUrl === 'function') return splitBase(baseUrl(call)) ?? badUrl('base URL');
  const fields: TargetFields = {
    ...target.fields,
    text: (key) => (key === 'model' ? call.model : target.fields.text(key)),
  };
  return renderBase(target.provider, baseUrl, fields);
}

const customBase = (customHost: string): Base | AppError =>
  splitBase(customHost) ?? new AppError('CUSTOM_HOST_REFUSED', { param: 'custom_host' });

const badUrl = (param: string): AppError =>
  new AppError('PARAMETER_INVALID', { detail: `${param} must be an http or https URL`, param });

function* headersOf(compiled: CompiledProvider, fields: TargetFields): Generator<[string, string]> {
  for (const [name, template] of compiled.headers) {
    const value = renderTemplate(template, (key) => fields.text(key));
    if (value.ok) yield [name, value.value];
  }
}

const withCustomHost = (fields: TargetFields, customHost: string): TargetFields => ({
  text: (key) => (key === 'custom_host' ? customHost : fields.text(key)),
  secret: (key) => fields.secret(key),
});
