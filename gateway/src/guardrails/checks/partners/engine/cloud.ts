/** Credentials of clouds: the authorizers of providers for the call of a check. */
import { Secret } from '../../../../lib/secret.ts';
import type { Authorizer, Call, OutgoingRequest } from '../../../../providers/contract.ts';
import type { Ask, PartnerRequest } from './partner.ts';

/** Fields by the names that the authorizer asks for: credentials are secrets, settings are texts. */
export type CloudFields = Readonly<Record<string, string | Secret | undefined>>;

/** The request with the credential. Throws what the authorizer throws. */
export async function authorizeBy(
  authorizer: Authorizer,
  fields: CloudFields,
  { request, ask }: { readonly request: PartnerRequest; readonly ask: Pick<Ask<unknown>, 'subject' | 'tools'> },
): Promise<PartnerRequest> {
  const { tools } = ask;
  const url = new URL(request.url);
  const outgoing: OutgoingRequest = {
    method: 'POST',
    origin: url.origin,
    path: url.pathname + url.search,
    headers: { 'content-type': 'application/json', ...request.headers },
    body: Buffer.from(request.body),
  };
  const services = {
    fetch: tools.fetch.bind(tools),
    cached: tools.cached.bind(tools),
    env: (name: string) => tools.cloud?.env(name),
    now: () => tools.now(),
  };
  await authorizer.apply(outgoing, callOf(fields, ask), { services, signal: tools.signal });
  return { url: outgoing.origin + outgoing.path, headers: outgoing.headers, body: request.body };
}

function callOf(fields: CloudFields, { subject, tools }: Pick<Ask<unknown>, 'subject' | 'tools'>): Call {
  const fieldOf = (key: string): string | Secret | undefined => (Object.hasOwn(fields, key) ? fields[key] : undefined);
  return {
    provider: 'The check',
    operation: 'guardrail',
    endpoint: 'proxy',
    model: '',
    strict: true,
    stream: false,
    params: {},
    fields: {
      text: (key) => {
        const value = fieldOf(key);
        return typeof value === 'string' ? value : undefined;
      },
      secret: (key) => {
        const value = fieldOf(key);
        return value instanceof Secret ? value : undefined;
      },
    },
    ownIdentity: tools.cloud?.ownIdentity === true,
    header: () => undefined,
    path: '/',
    query: '',
    route: {},
    now: () => tools.now(),
    newId: (prefix) => prefix + subject.traceId,
  };
}
