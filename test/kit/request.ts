import type { ClientRequest, RequestBody } from '../../gateway/src/pipeline/exchange.ts';

export interface FakeRequest {
  readonly method?: string;
  readonly path?: string;
  readonly query?: string;
  /** Lower-case names. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A JSON body, or none. */
  readonly body?: object;
}

/** A request as the pipeline sees it, without a server. */
export function fakeRequest(given: FakeRequest = {}): ClientRequest {
  const { method = 'POST', path = '/v1/chat/completions', query = '', headers = {}, body } = given;
  const read: RequestBody =
    body === undefined
      ? { kind: 'none' }
      : { kind: 'json', bytes: Buffer.from(JSON.stringify(body)), value: body as Record<string, unknown> };
  return {
    method,
    path,
    query,
    route: {},
    header: (name) => (Object.hasOwn(headers, name) ? headers[name] : undefined),
    headers: () => Object.entries(headers),
    checkLength: () => undefined,
    readBody: async () => read,
  };
}
