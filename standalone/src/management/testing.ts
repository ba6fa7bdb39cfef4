/** Calls of the management API over sockets. */

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

interface Call {
  readonly method?: string;
  readonly key: string;
  readonly body?: object;
}

/** `path` is below `/v1`. */
export async function callApi(url: string, path: string, { method = 'GET', key, body }: Call): Promise<Answer> {
  const response = await fetch(`${url}/v1${path}`, {
    method,
    headers: { 'x-gw-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) };
}
