import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { deliver, isPlain } from './deliver.ts';
import { serveRealtime } from './realtime/index.ts';
import type { ReceivedRequest, Recorder } from './recorder.ts';
import { createResponder } from './respond.ts';

const MAX_BODY_BYTES = 256 * 1024 * 1024;
const MAX_HEADER_BYTES = 256 * 1024;
// Longer than clients keep idle connections, so that the mock never closes one that is about to be used.
const KEEP_ALIVE_MS = 75_000;

export function createMockServer(recorder: Recorder): Server {
  const respond = createResponder();
  const options = { keepAliveTimeout: KEEP_ALIVE_MS, maxHeaderSize: MAX_HEADER_BYTES };
  const server = createServer(options, (req, res) => {
    res.sendDate = false; // the same request gets the same bytes
    receive(req, (request) => {
      recorder.record(request, res);
      try {
        send(res, request, respond);
      } catch {
        fail(res);
      }
    });
  });
  serveRealtime(server, {
    recorder,
    respond,
    toRequest: (message, body) => toReceived(message, body, body.length),
  });
  return server;
}

function receive(req: IncomingMessage, onReceived: (request: ReceivedRequest) => void): void {
  const chunks: Buffer[] = [];
  let bodyBytes = 0;
  req.on('data', (chunk: Buffer) => {
    bodyBytes += chunk.length;
    if (bodyBytes <= MAX_BODY_BYTES) chunks.push(chunk);
  });
  req.on('end', () => {
    const [first = Buffer.alloc(0)] = chunks;
    onReceived(toReceived(req, chunks.length > 1 ? Buffer.concat(chunks) : first, bodyBytes));
  });
}

const toReceived = ({ method = 'GET', url = '/', headers }: IncomingMessage, body: Buffer, bodyBytes: number) => ({
  ...{ method, headers, bodyBytes, body },
  ...splitTarget(url),
});

function splitTarget(target: string): { path: string; search: string } {
  const mark = target.indexOf('?');
  return mark < 0 ? { path: target, search: '' } : { path: target.slice(0, mark), search: target.slice(mark) };
}

function send(res: ServerResponse, request: ReceivedRequest, respond: ReturnType<typeof createResponder>): void {
  const { outgoing, controls } = respond(request);
  if (controls.closeConnection) res.shouldKeepAlive = false;
  if (controls.echoHeaders) res.setHeader('x-mock-request-headers', JSON.stringify(request.headers));
  if (isPlain(outgoing, controls)) res.writeHead(outgoing.status, outgoing.headers).end(outgoing.bursts[0]);
  else deliver(res, outgoing, controls).catch(() => res.destroy());
}

/** The last resort: failures of answers are told in the shape of the provider before. */
function fail(res: ServerResponse): void {
  if (res.headersSent) {
    res.destroy();
    return;
  }
  res.writeHead(500, { 'content-type': 'application/json' });
  res.end(JSON.stringify({ error: { message: 'The mock provider failed', type: 'mock_internal_error' } }));
}
