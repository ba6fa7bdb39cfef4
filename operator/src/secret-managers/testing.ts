/** A stub of a secret manager on a real socket, for the tests of this folder. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHttp, type HttpOptions } from '../guarded-http/index.ts';
import type { SecretFetch } from '../translate/index.ts';
import type { FetchContext } from './contract.ts';
import { createOwnIdentity, type OwnIdentityOptions } from './own-identity.ts';

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface StubAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Objects are sent as JSON. */
  readonly body?: string | object;
  /** Nothing is answered. */
  readonly hangs?: true;
}

export interface Stub extends AsyncDisposable {
  readonly origin: string;
  readonly seen: readonly SeenRequest[];
  /** What is answered to a request by the rules of the test. */
  answer: (request: SeenRequest) => StubAnswer;
}

export async function startStub(answer: Stub['answer']): Promise<Stub> {
  const seen: SeenRequest[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const { method = '', url = '', headers } = request;
    const one: SeenRequest = { method, url, headers, body };
    seen.push(one);
    const { status = 200, headers: sent = {}, body: content = '', hangs } = stub.answer(one);
    if (hangs) return;
    response.writeHead(status, sent);
    response.end(typeof content === 'string' ? content : JSON.stringify(content));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server
  const stub: Stub = {
    origin: `http://127.0.0.1:${port}`,
    seen,
    answer,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return stub;
}

interface ContextOptions extends Partial<HttpOptions>, Partial<OwnIdentityOptions> {
  readonly signal: AbortSignal;
  readonly nowMs?: number;
}

/** Every connection goes to the stub. */
export function contextOf(
  stub: Stub,
  { signal, nowMs = Date.now(), variables = {}, ...options }: ContextOptions,
): FetchContext {
  return {
    http: createHttp({ ownNamespaces: [], originOf: () => stub.origin, ...options }),
    identity: createOwnIdentity({ variables, ...options }),
    nowMs: () => nowMs,
    signal,
  };
}

/** A fetch with the given spec and credentials. */
export const fetchOf = (
  spec: SecretFetch['spec'],
  credentials: Readonly<Record<string, string>> = {},
  more: Partial<SecretFetch> = {},
): SecretFetch => ({
  ...{ key: 'team-a/openai', share: 'team-a', target: 'sha256:1', spec, credentials },
  ...{ reach: 'machine', refreshSeconds: 300 },
  ...more,
});
