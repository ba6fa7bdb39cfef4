import { API_KEY } from '@gatehouse/crds/providers';
import type { Authorizer, AuthorizerContext, Call } from '../contract.ts';
import { fieldMissing } from './fields.ts';

interface Optional {
  /** The provider can be called without a key. */
  readonly optional?: boolean;
}

/** `Authorization: Bearer <api_key>`. */
export function bearer(options: Optional = {}): Authorizer {
  return apiKeyHeader('authorization', { ...options, prefix: 'Bearer ' });
}

/** The API key in a header of that (lower-case) name, after a prefix. */
export function apiKeyHeader(name: string, options: Optional & { readonly prefix?: string } = {}): Authorizer {
  const prefix = options.prefix ?? '';
  return {
    summary: `${name}: ${prefix}{api_key}`,
    apply(request, call, context) {
      const key = call.fields.secret(API_KEY)?.reveal();
      if (key !== undefined) request.headers[name] = prefix + key;
      else if (!options.optional && request.headers[name] === undefined) refuseUnlessCustom(call, context);
    },
  };
}

/** For providers without credentials. */
export function noAuth(): Authorizer {
  return { summary: 'none', apply() {} };
}

function refuseUnlessCustom(call: Call, context: AuthorizerContext): void {
  if (!context.customHost) throw fieldMissing(call.provider, API_KEY);
}
