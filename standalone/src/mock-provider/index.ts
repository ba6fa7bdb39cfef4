import { isIPv6 } from 'node:net';
import type { Duplex } from 'node:stream';
import { createRecorder, type RecordedRequest } from './recorder.ts';
import { createMockServer } from './server.ts';

export { type Controls, describeRule, MOCK_CONTROLS, type MockControl, type ValueRule } from './controls/index.ts';
export { MOCK_MODELS } from './models.ts';
export type { RecordedRequest } from './recorder.ts';
export { listPaths } from './router.ts';

export interface MockProviderOptions {
  /** Address to listen on, by default 127.0.0.1. */
  readonly host?: string;
  /** By default a free one. */
  readonly port?: number;
  /** Milliseconds since the epoch, for the times of recorded requests only: answers do not depend on a clock. */
  readonly now?: () => number;
}

export interface MockProvider extends AsyncDisposable {
  /** `http://host:port`. OpenAI clients take `${url}/v1` as base URL, those of others `url`. */
  readonly url: string;
  readonly port: number;
  /** The newest requests, oldest first: at most 1,000, and at most 32 MiB of them. */
  readonly requests: readonly RecordedRequest[];
  /** Ends all connections, also those in the middle of an answer. */
  close(): Promise<void>;
}

/**
 * Starts a server that imitates OpenAI, Anthropic, Gemini, Cohere, Bedrock and Ollama, offline and deterministic: a request
 * determines every byte of its answer, together with what clients have stored (files, batches, fine-tuning jobs, vector
 * stores, responses; the newest of each). Work that takes time is done when it is read for the first time. Other paths are 404, but `/echo` and `/v1/echo`,
 * and what is below, answer with the request. Tokens are a quarter of the characters, rounded up.
 *
 * A request can ask for faults, in headers or in the model name (`mock-delay-100+fail-503-times-2`):
 *
 * | header                   | model name        | effect                                                       |
 * |--------------------------|-------------------|--------------------------------------------------------------|
 * | x-mock-status            | mock-fail-503     | this status; from 400 on with an error body                  |
 * | x-mock-retry-after       |                   | Retry-After of an error                                      |
 * | x-mock-error-body        |                   | json, text, html or empty                                    |
 * | x-mock-delay-ms          | mock-delay-250    | wait before the headers                                      |
 * | x-mock-body-delay-ms     |                   | wait between headers and body                                |
 * | x-mock-token-delay-ms    | mock-slow-20      | wait before each piece of a stream                           |
 * | x-mock-cut-after-bytes   | mock-cut-100      | close the connection after so many bytes of the body         |
 * | x-mock-stall-after-bytes | mock-stall-100    | silence after so many bytes of the body                      |
 * | x-mock-malformed         | mock-malformed-sse| sse, json or utf8: broken syntax                             |
 * | x-mock-error-event       | mock-error-event, | end a stream with an error event                             |
 * |                          | mock-overloaded   |                                                              |
 * | x-mock-error-event-after |                   | after so many events, by default none                        |
 * | x-mock-no-done           |                   | a stream without its end mark                                |
 * | x-mock-chunk-bytes       |                   | writes of this size                                          |
 * | x-mock-text              |                   | the exact answer text                                        |
 * | x-mock-response-bytes    |                   | the answer text padded to this size                          |
 * | x-mock-fail-times        | …-times-2         | only the first requests with the same key fail               |
 * | x-mock-fail-key          | the model name    | that key                                                     |
 * | x-mock-require-auth      |                   | 401 unless this is the credential                            |
 * | x-mock-close-connection  |                   | Connection: close                                            |
 * | x-mock-echo-headers      |                   | the received headers in x-mock-request-headers               |
 *
 * Errors: rejects when the address cannot be listened on.
 */
export async function createMockProvider(options: MockProviderOptions = {}): Promise<MockProvider> {
  const { host = '127.0.0.1', port = 0, now = Date.now } = options;
  const recorder = createRecorder(now);
  const server = createMockServer(recorder);
  // Node no longer knows connections that have left HTTP.
  const upgraded = new Set<Duplex>();
  server.on('upgrade', (_message, socket) => {
    upgraded.add(socket);
    socket.on('close', () => upgraded.delete(socket));
  });
  const listening = await listen(server, host, port);
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closed ??= new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
      for (const socket of upgraded) socket.destroy();
    });
    return closed;
  };
  return {
    url: `http://${isIPv6(host) ? `[${host}]` : host}:${listening}`,
    port: listening,
    get requests() {
      return recorder.list();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function listen(server: ReturnType<typeof createMockServer>, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}
