import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent, request as startRequest } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

/** What goes wrong with one request. */
export type Fault =
  /** The proxy answers in place of the server: a 410, a 429 with Retry-After, a 500, or lines of a watch of its own. */
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly body?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** The request goes on late. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** The body arrives in pieces of so many bytes, each in a packet of its own. */
  | { readonly kind: 'split'; readonly bytes: number }
  /** After so many bytes of the body nothing comes any more, and nothing ends. */
  | { readonly kind: 'stall'; readonly afterBytes: number }
  /** After so many bytes of the body the connection is reset. */
  | { readonly kind: 'cut'; readonly afterBytes: number };

export interface ProxiedRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly isWatch: boolean;
}

export interface FaultProxy extends AsyncDisposable {
  /** Plain HTTP on loopback; the token of the client passes through. */
  readonly url: string;
  readonly requests: readonly ProxiedRequest[];
  /** Lets the next `times` matching requests fail. The oldest matching fault is used up first. */
  inject(matches: (request: ProxiedRequest) => boolean, fault: Fault, times?: number): void;
  /** Resets every connection whose answer is under way. */
  cutAll(): void;
  /** Resets every connection, and new ones until `accept`; the port stays taken. */
  refuse(): void;
  accept(): void;
}

interface Planned {
  readonly matches: (request: ProxiedRequest) => boolean;
  readonly fault: Fault;
  left: number;
}

/** A proxy in front of an API server, which will not misbehave on request. */
export async function startFaultProxy(upstream: { readonly url: string; readonly caPem: string }): Promise<FaultProxy> {
  const requests: ProxiedRequest[] = [];
  const planned: Planned[] = [];
  const open = new Set<ServerResponse>();
  const sockets = new Set<Socket>();
  let isAway = false;
  const agent = new Agent({ ca: upstream.caPem, keepAlive: true });

  const faultFor = (request: ProxiedRequest): Fault | undefined => {
    const plan = planned.find(({ matches, left }) => left > 0 && matches(request));
    if (plan === undefined) return undefined;
    plan.left -= 1;
    return plan.fault;
  };
  const server = createServer((incoming, response) => {
    open.add(response);
    response.on('close', () => open.delete(response));
    const request = toProxied(incoming);
    requests.push(request);
    const fault = faultFor(request);
    if (fault?.kind === 'answer') {
      response.writeHead(fault.status, { 'content-type': 'application/json', ...fault.headers }).end(fault.body ?? '');
      return;
    }
    const start = (): void => forward(new URL(incoming.url ?? '/', upstream.url), agent, { incoming, response, fault });
    if (fault?.kind === 'delay') setTimeout(start, fault.ms);
    else start();
  });
  server.on('connection', (socket) => {
    if (isAway) return socket.resetAndDestroy();
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // listening on TCP
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    inject: (matches, fault, times = 1) => {
      planned.push({ matches, fault, left: times });
    },
    cutAll: () => {
      for (const response of open) response.socket?.resetAndDestroy();
    },
    refuse: () => {
      isAway = true;
      for (const socket of sockets) socket.resetAndDestroy();
    },
    accept: () => {
      isAway = false;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      agent.destroy();
    },
  };
}

function toProxied({ method = '', url = '' }: IncomingMessage): ProxiedRequest {
  return { method, target: url, isWatch: new URL(url, 'http://proxy').searchParams.get('watch') === 'true' };
}

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  readonly fault: Fault | undefined;
}

function forward(url: URL, agent: Agent, { incoming, response, fault }: Exchange): void {
  const headers = { ...incoming.headers, host: url.host };
  const outgoing = startRequest(url, { method: incoming.method, headers, agent });
  outgoing.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    response.flushHeaders();
    const pass = passer(response, fault);
    answer.on('data', pass);
    answer.on('end', () => {
      if (fault?.kind !== 'stall') response.end();
    });
    answer.on('error', () => response.socket?.resetAndDestroy());
  });
  outgoing.on('error', () => response.socket?.resetAndDestroy());
  response.on('close', () => outgoing.destroy());
  incoming.pipe(outgoing);
}

/** Passes the pieces of a body on, as far as the fault lets them. */
function passer(response: ServerResponse, fault: Fault | undefined): (bytes: Buffer) => void {
  let passed = 0;
  const passUntil = (bytes: Buffer, limit: number): void => {
    const piece = bytes.subarray(0, Math.max(0, limit - passed));
    if (piece.length > 0) response.write(piece);
    passed += bytes.length;
  };
  switch (fault?.kind) {
    case 'split':
      response.socket?.setNoDelay(true);
      return (bytes) => {
        for (let at = 0; at < bytes.length; at += fault.bytes) response.write(bytes.subarray(at, at + fault.bytes));
      };
    case 'stall':
      return (bytes) => passUntil(bytes, fault.afterBytes);
    case 'cut':
      return (bytes) => {
        passUntil(bytes, fault.afterBytes);
        if (passed >= fault.afterBytes) response.socket?.resetAndDestroy();
      };
    default:
      return (bytes) => response.write(bytes);
  }
}
