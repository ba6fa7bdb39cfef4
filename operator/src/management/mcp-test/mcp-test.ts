/**
 * One request for a session to an MCP server, without a credential. Source: Model Context Protocol 2025-06-18, `initialize` of Streamable
 * HTTP, and the `endpoint` event of HTTP with SSE of 2024-11-05.
 */
import { isObject, parseJson } from '@gatehouse/crds';
import {
  createHttp,
  type Http,
  type HttpAnswer,
  type HttpCall,
  type HttpProblem,
  type HttpReach,
} from '../../guarded-http/index.ts';
import { RestError } from '../http/rest-error.ts';

export interface TestedServer {
  readonly url: string;
  readonly transport: 'http' | 'sse';
  /** Who has it asked: the workspace, or the organisation. */
  readonly asker: string;
  /** Whether calls of a workspace, or of the organisation, go there. */
  readonly isOfWorkspace: boolean;
}

export interface McpTestResult {
  readonly success: boolean;
  /** Undefined: there was no answer. */
  readonly status?: number;
  readonly milliseconds: number;
  readonly serverName?: string;
  readonly error?: string;
}

/** Throws RestError TOO_MANY while too many servers are asked. */
export type McpTest = (server: TestedServer) => Promise<McpTestResult>;

export interface McpTestOptions {
  /** Where servers of the organisation may be; those of workspaces have public addresses. */
  readonly reach: HttpReach;
  /** Namespaces that contain only the installation itself. */
  readonly ownNamespaces: readonly string[];
  readonly signal: AbortSignal;
}

const TIMEOUT_MS = 10_000;
/** For the end of a session. */
const END_MS = 1_000;
const MAX_ANSWER_BYTES = 65_536;
/** Each holds a connection to somebody else for as long as the timeout. */
const MAX_AT_ONCE = 16;
const MAX_OF_ASKER = 4;
const MAX_NAME = 255;

const PROTOCOL = '2025-06-18';
const INITIALIZE = JSON.stringify({
  ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
  params: { protocolVersion: PROTOCOL, capabilities: {}, clientInfo: { name: 'gatehouse', version: '1' } },
});
const SESSION = 'mcp-session-id';

export function createMcpTest({ reach: ofOrganisation, ownNamespaces, signal }: McpTestOptions): McpTest {
  const send = createHttp({ ownNamespaces, timeoutMs: TIMEOUT_MS, maxBytes: MAX_ANSWER_BYTES });
  const places = createPlaces();
  return async ({ url, transport, asker, isOfWorkspace }) => {
    using _ = places.take(asker);
    const reach = isOfWorkspace ? 'public' : ofOrganisation;
    const startedMs = performance.now();
    const answer = await send(transport === 'sse' ? listening(url, reach) : initializing(url, reach), signal);
    const milliseconds = Math.round(performance.now() - startedMs);
    if (!answer.ok) return { success: false, milliseconds, error: PROBLEMS[answer.error] };
    await endSession(send, { url, reach, answer: answer.value, signal });
    return { ...verdictOf(answer.value, transport), status: answer.value.status, milliseconds };
  };
}

/** Slow servers of one asker leave places for others. */
function createPlaces() {
  const taken = new Map<string, number>();
  let all = 0;
  return {
    /** Throws RestError TOO_MANY. */
    take: (asker: string): Disposable => {
      const own = taken.get(asker) ?? 0;
      if (all >= MAX_AT_ONCE || own >= MAX_OF_ASKER) {
        const message = 'Too many MCP servers are tested at once; try again in 1 s';
        throw new RestError('TOO_MANY', { message, retryAfter: 1 });
      }
      all += 1;
      taken.set(asker, own + 1);
      return {
        [Symbol.dispose]: () => {
          all -= 1;
          const left = (taken.get(asker) ?? 1) - 1;
          if (left === 0) taken.delete(asker);
          else taken.set(asker, left);
        },
      };
    },
  };
}

/** Whether a name leads to an address inside the cluster, or nowhere, is not told. */
const NOWHERE = 'the server cannot be reached, or its address may not be called from here';
const PROBLEMS: Readonly<Record<HttpProblem, string>> = {
  HostRefused: NOWHERE,
  TimedOut: 'no answer in time',
  TooLarge: 'the answer is too large',
  Unreachable: NOWHERE,
};

type Sent = Pick<HttpCall, 'url' | 'reach'>;

const initializing = (url: Sent['url'], reach: Sent['reach']): HttpCall => ({
  ...{ method: 'POST', url, reach, body: INITIALIZE },
  headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  until: (text) => messageIn(text) !== undefined,
});

/** The stream has no end: its first event is enough. */
const listening = (url: Sent['url'], reach: Sent['reach']): HttpCall => ({
  ...{ method: 'GET', url, reach },
  headers: { accept: 'text/event-stream' },
  until: isEndpoint,
});

const isEndpoint = (text: string): boolean => /^event: ?endpoint\r?$/m.test(text);

function verdictOf(
  { status, text }: HttpAnswer,
  transport: TestedServer['transport'],
): Pick<McpTestResult, 'success' | 'serverName' | 'error'> {
  if (status === 401 || status === 403) {
    return { success: false, error: 'the server asks for a credential, and a test sends none' };
  }
  if (status < 200 || status > 299) return { success: false, error: `the server answers with status ${status}` };
  if (transport === 'sse') return isEndpoint(text) ? { success: true } : { success: false, error: OTHER };
  const message = messageIn(text);
  const result = message?.['result'];
  if (!isObject(result) || typeof result['protocolVersion'] !== 'string') return { success: false, error: OTHER };
  const { serverInfo } = result;
  const name = isObject(serverInfo) ? serverInfo['name'] : undefined;
  return { success: true, ...(typeof name === 'string' ? { serverName: name.slice(0, MAX_NAME) } : {}) };
}

const OTHER = 'the server answers, but not as an MCP server of this transport';

/** The JSON-RPC message of an answer: its body, or the data of an event. */
function messageIn(text: string): Readonly<Record<string, unknown>> | undefined {
  const events = text.split(/\r?\n\r?\n/);
  const data = events.map((event) =>
    event
      .split(/\r?\n/)
      .flatMap((line) => (line.startsWith('data:') ? [line.slice('data:'.length).trimStart()] : []))
      .join('\n'),
  );
  // The last event may be half of one.
  for (const candidate of [text, ...data.slice(0, -1)]) {
    const value = parsed(candidate);
    if (isObject(value) && value['jsonrpc'] === '2.0' && ('result' in value || 'error' in value)) return value;
  }
  return undefined;
}

function parsed(text: string): unknown {
  try {
    return text === '' ? undefined : parseJson(text);
  } catch {
    return undefined;
  }
}

interface Ending extends Sent {
  readonly answer: HttpAnswer;
  readonly signal: AbortSignal;
}

/** The server need not keep what nobody uses. Whatever it says to that changes nothing. */
async function endSession(send: Http, { url, reach, answer: { headers }, signal }: Ending): Promise<void> {
  const session = headers[SESSION];
  if (typeof session !== 'string') return;
  const headersOfEnd = { [SESSION]: session, 'mcp-protocol-version': PROTOCOL };
  const soon = AbortSignal.any([signal, AbortSignal.timeout(END_MS)]);
  await send({ method: 'DELETE', url, reach, headers: headersOfEnd }, soon);
}
