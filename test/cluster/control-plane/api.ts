import { Pool } from 'undici';

/** What the API server answered: any status is a value. */
export interface ApiAnswer {
  readonly status: number;
  /** Parsed JSON, or the text of what is not. */
  readonly body: unknown;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface ApiRequest {
  readonly body?: unknown;
  /** Default `application/json`; a PATCH needs one of its own. */
  readonly contentType?: string;
  /** Another identity than the administrator's. */
  readonly token?: string;
  readonly signal?: AbortSignal;
}

export interface ApiClient extends AsyncDisposable {
  request(method: Method, path: string, request?: ApiRequest): Promise<ApiAnswer>;
}

/** As `application/apply-patch+yaml`, which takes JSON too. */
export const APPLY_PATCH = 'application/apply-patch+yaml';

const CONNECTIONS = 16;
const ANSWER_TIMEOUT_MS = 120_000;

/** Plain requests to the API server; watches and typed objects are the business of real clients. */
export function createApiClient(url: string, caPem: string, adminToken: string): ApiClient {
  const pool = new Pool(url, { connect: { ca: caPem }, connections: CONNECTIONS });
  return {
    request: async (method, path, { body, contentType = 'application/json', token = adminToken, signal } = {}) => {
      const answer = await pool.request({
        method,
        path,
        headers: { authorization: `Bearer ${token}`, accept: 'application/json', 'content-type': contentType },
        headersTimeout: ANSWER_TIMEOUT_MS,
        bodyTimeout: ANSWER_TIMEOUT_MS,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal === undefined ? {} : { signal }),
      });
      return { status: answer.statusCode, body: parse(await answer.body.text()) };
    },
    [Symbol.asyncDispose]: () => pool.destroy(),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
