/** The request of a client for a session, as the pipeline sees requests. */
import { AppError } from '../errors/index.ts';
import type { UpgradeRequest } from '../listener/index.ts';
import type { ClientRequest } from '../pipeline/index.ts';
import { offeredProtocols, PROTOCOL_HEADER } from '../wire/websocket/index.ts';

/** How clients in browsers, which cannot send headers, bring their key. Source: OpenAI, realtime API over WebSockets. */
const KEY_PROTOCOL = 'openai-insecure-api-key.';

/** Its parameters are those of the query: the model. */
export function toClientRequest(request: UpgradeRequest): ClientRequest {
  const { method, path } = request;
  const query = withModel(request.query);
  const given = request.header('authorization') === undefined ? keyOfProtocols(request) : undefined;
  const authorization = given === undefined ? undefined : `Bearer ${given}`;
  const read = (name: string, value: string | undefined): string | undefined =>
    name === PROTOCOL_HEADER && value !== undefined ? withoutKeys(value) : value;
  const header = (name: string): string | undefined =>
    name === 'authorization' && authorization !== undefined ? authorization : read(name, request.header(name));
  return {
    method,
    path,
    query,
    route: {},
    header,
    headers: () => Array.from(request.headers(), ([name, value]) => [name, read(name, value) ?? ''] as const),
    checkLength: () => undefined,
    readBody: async () => {
      const value = paramsOf(query);
      return { kind: 'json', bytes: Buffer.from(JSON.stringify(value)), value };
    },
  };
}

function keyOfProtocols(request: UpgradeRequest): string | undefined {
  const found = offeredProtocols(request.header(PROTOCOL_HEADER)).find((name) => name.startsWith(KEY_PROTOCOL));
  const key = found?.slice(KEY_PROTOCOL.length) ?? '';
  return key === '' ? undefined : key;
}

/** What is logged or sent on has no key. */
const withoutKeys = (value: string): string =>
  offeredProtocols(value)
    .filter((name) => !name.startsWith(KEY_PROTOCOL))
    .join(', ');

/** The query with the model in its usual place: clients of Azure name the deployment. Source: Azure OpenAI, realtime API. */
function withModel(given: string): string {
  const params = new URLSearchParams(given);
  const deployments = params.getAll('deployment');
  if (deployments.length === 0) return given;
  params.delete('deployment');
  for (const name of deployments) params.append('model', name);
  return params.toString();
}

/** Throws PARAMETER_INVALID for a model that is named twice: what is checked must be what is asked for. */
function paramsOf(query: string): { readonly model?: string } {
  const [model, ...others] = new URLSearchParams(query).getAll('model');
  if (others.length > 0)
    throw new AppError('PARAMETER_INVALID', { param: 'model', detail: 'model stands in the query twice' });
  return model === undefined ? {} : { model };
}
