/** The rungs below the gateway's listener: its upstream client behind node:http, then behind fastify. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fastify } from 'fastify';
import type { GatewaySettings } from '../../../gateway/src/config/index.ts';
import { Cancellation } from '../../../gateway/src/lib/cancellation.ts';
import type { PipelinePorts } from '../../../gateway/src/pipeline/index.ts';
import type { UpstreamResponse } from '../../../gateway/src/upstream/index.ts';
import { callUpstream, collect, type LadderUpstream } from './call-upstream.ts';

interface SimpleOptions {
  readonly ports: PipelinePorts;
  readonly settings: GatewaySettings;
  readonly upstream: LadderUpstream;
}

/** Listens with node:http alone; resolves with the port. */
export async function serveWithNode(options: SimpleOptions): Promise<number> {
  const server = createServer((request, response) => relayOrCut(options, request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port; // of a TCP server
}

/** Listens with fastify, which hands the socket over. */
export async function serveWithFastify(options: SimpleOptions): Promise<number> {
  const app = fastify();
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined));
  app.post('/v1/chat/completions', (request, reply) => {
    reply.hijack();
    relayOrCut(options, request.raw, reply.raw);
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  return (app.server.address() as AddressInfo).port; // of a TCP server
}

/** A client that leaves aborts its call. */
function relayOrCut(options: SimpleOptions, request: IncomingMessage, response: ServerResponse): void {
  relay(options, request, response).catch(() => response.destroy());
}

async function relay(options: SimpleOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  const body = Buffer.concat(pieces);
  JSON.parse(body.toString('utf8'));
  const cancellation = new Cancellation();
  response.once('close', () => cancellation.cancel('closed'));
  const answer = await callUpstream(options.ports, options.upstream, { body, signal: cancellation });
  if (isStream(answer)) {
    response.writeHead(answer.status, { 'content-type': String(answer.headers['content-type']) });
    answer.body.pipe({
      write: (bytes) => response.write(bytes),
      end: () => response.end(),
      fail: () => response.destroy(),
    });
    response.on('drain', () => answer.body.resume());
    return;
  }
  const bytes = await collect(options.ports, answer);
  JSON.parse(bytes.toString('utf8'));
  response.writeHead(answer.status, { 'content-type': 'application/json', 'content-length': bytes.length });
  response.end(bytes);
}

export const isStream = ({ headers }: UpstreamResponse): boolean =>
  String(headers['content-type']).startsWith('text/event-stream');
