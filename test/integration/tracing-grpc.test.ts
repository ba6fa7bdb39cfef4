/** Export over gRPC, where the collector fails. Spans at a real collector are test/operator/tracing. */
import { createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { startWorld } from '../kit/gateway.ts';
import { waitFor } from '../kit/wait-for.ts';

type Handler = (stream: ServerHttp2Stream, call: number) => void;

interface Server extends AsyncDisposable {
  readonly url: string;
  readonly calls: () => number;
}

async function startServer(handle: Handler): Promise<Server> {
  let calls = 0;
  const server: Http2Server = createServer();
  const streams = new Set<ServerHttp2Stream>();
  server.on('stream', (stream: ServerHttp2Stream) => {
    streams.add(stream);
    stream.on('error', () => undefined);
    stream.resume();
    calls += 1;
    handle(stream, calls);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // of a server that listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    calls: () => calls,
    [Symbol.asyncDispose]: async () => {
      for (const { session } of streams) session?.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** An answer without a message. */
const refuse = (stream: ServerHttp2Stream, status: number): void =>
  stream.respond(
    { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': status, 'grpc-message': 'canary' },
    { endStream: true },
  );

const accept = (stream: ServerHttp2Stream): void => {
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.end(Buffer.alloc(5));
};

const worldOf = (server: Server, env: Record<string, string> = {}) =>
  startWorld({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: server.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_BSP_SCHEDULE_DELAY: '1',
      ...env,
    },
  });

type World = Awaited<ReturnType<typeof worldOf>>;

const chat = (world: World) =>
  world.send('/v1/chat/completions', {
    headers: { 'x-gw-provider': '@openai' },
    body: { model: 'mock-small', messages: [{ role: 'user', content: 'hi' }] },
  });

const isExported = async (world: World): Promise<boolean> =>
  (await world.metric('gatehouse_spans_exported_total')) === 2;
const isDropped = async (world: World): Promise<boolean> =>
  (await world.metric('gatehouse_spans_dropped_total', { reason: 'export_failed' })) === 2;

test('a status that may pass is tried again', async () => {
  await using server = await startServer((stream, call) => (call === 1 ? refuse(stream, 14) : accept(stream)));
  await using world = await worldOf(server);
  expect((await chat(world)).status).toBe(200);
  await waitFor(() => isExported(world), { what: 'the spans' });
  expect(server.calls()).toBe(2);
});

test('a status that will not is the end of its spans', async () => {
  await using server = await startServer((stream) => refuse(stream, 16));
  await using world = await worldOf(server);
  expect((await chat(world)).status).toBe(200);
  await waitFor(() => isDropped(world), { what: 'the drop' });
  expect(server.calls()).toBe(1);
});

test('a collector that never answers ends after the time of an export', async () => {
  await using server = await startServer(() => undefined);
  await using world = await worldOf(server, { OTEL_EXPORTER_OTLP_TIMEOUT: '200' });
  expect((await chat(world)).status).toBe(200);
  await waitFor(() => isDropped(world), { what: 'the drop' });
});

test('a collector that returns gets what comes then, over a new connection', async () => {
  let isGone = true;
  await using server = await startServer((stream) => (isGone ? stream.session?.destroy() : accept(stream)));
  await using world = await worldOf(server, { OTEL_EXPORTER_OTLP_TIMEOUT: '300' });
  await chat(world);
  await waitFor(() => isDropped(world), { what: 'the drop' });
  isGone = false;
  await waitFor(
    async () => {
      await chat(world); // an export has little time, and may fail on a busy machine
      return (await world.metric('gatehouse_spans_exported_total')) > 0;
    },
    { what: 'the spans' },
  );
});
