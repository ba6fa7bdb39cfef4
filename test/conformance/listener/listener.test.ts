/** What every listener does, over real sockets. */
import { once } from 'node:events';
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { describe, expect, test } from 'vitest';
import type { UpgradedConnection, UpgradeRequest } from '../../../gateway/src/listener/index.ts';
import { LOOPBACK_PEM } from '../../kit/tls.ts';
import { waitFor } from '../../kit/wait-for.ts';
import {
  CHAT,
  echo,
  LIMITS,
  open,
  post,
  query,
  rawClient,
  refusesConnections,
  streaming,
  text,
  VARIANTS,
} from './support.ts';

const UPGRADE = 'connection: upgrade\r\nupgrade: websocket\r\n';

describe.for(VARIANTS)('a listener: $name', (variant) => {
  describe('a request', () => {
    test('reaches the pipeline with method, path, query, headers and body', async () => {
      await using bench = await open(variant);
      const answer = await fetch(`${bench.url}${CHAT}?a=b`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-one': 'two' },
        body: '{"model":"m"}',
      });
      expect([answer.status, await answer.text()]).toEqual([200, '{"model":"m"}']);
      const [exchange] = bench.exchanges;
      expect(exchange?.operation.id).toBe('chatComplete');
      expect([exchange?.request.method, exchange?.request.path, exchange?.request.query]).toEqual([
        'POST',
        CHAT,
        'a=b',
      ]);
      expect(exchange?.request.header('x-one')).toBe('two');
      expect(answer.headers.get('x-gw-trace-id')).toBe(exchange?.trace.traceId);
    });

    test('may have headers of the gateway by another prefix, and gets them back so', async () => {
      await using bench = await open(variant, { settings: { headerAliases: ['x-acme-'] } });
      const ask = (headers: Record<string, string>) =>
        fetch(bench.url + CHAT, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: '{}',
        });
      const answer = await ask({ 'X-Acme-Trace-Id': 'mine', 'x-acme-config': 'c' });
      const [exchange] = bench.exchanges;
      expect(exchange?.request.header('x-gw-config')).toBe('c');
      expect([...(exchange?.request.headers() ?? [])].filter(([name]) => name.startsWith('x-acme-'))).toEqual([]);
      expect([answer.headers.get('x-gw-trace-id'), answer.headers.get('x-acme-trace-id')]).toEqual(['mine', 'mine']);
      expect((await ask({ 'x-acme-config': 'c', 'x-gw-config': 'c' })).status).toBe(400);
      expect(bench.exchanges).toHaveLength(1);
    });

    test('that no route takes is 404, one without a Snapshot in time is served later', async () => {
      await using bench = await open(variant);
      expect((await fetch(`${bench.url}/chat/completions`)).status).toBe(404);
      expect((await fetch(`${bench.url}/v1/health`)).status).toBe(200);
    });

    test('shares its connection with the next ones', async () => {
      await using bench = await open(variant, { handle: query });
      using client = await rawClient(bench.port);
      for (const query of ['first', 'second', 'third']) {
        client.write(post(`${CHAT}?${query}`, '{}'));
        await client.until(`\r\n\r\n${query}`);
      }
      expect(client.socket.destroyed).toBe(false);
    });

    test('that comes right behind another one is answered after it', async () => {
      await using bench = await open(variant, { handle: query });
      using client = await rawClient(bench.port);
      client.write(post(`${CHAT}?first`, '{}') + post(`${CHAT}?second`, '{}'));
      const all = await client.until('second');
      expect(all.indexOf('first')).toBeLessThan(all.indexOf('second'));
    });

    test('may come byte by byte', async () => {
      await using bench = await open(variant, { settings: {} });
      using client = await rawClient(bench.port);
      for (const byte of post(CHAT, '{"a":1}')) client.write(byte);
      expect(await client.until('{"a":1}')).toContain('HTTP/1.1 200');
    });

    test('may send its body in chunks', async () => {
      await using bench = await open(variant);
      using client = await rawClient(bench.port);
      client.write(`POST ${CHAT} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n`);
      client.write('transfer-encoding: chunked\r\n\r\n4\r\n{"a"\r\n3\r\n:1}\r\n0\r\n\r\n');
      expect(await client.until('{"a":1}')).toContain('HTTP/1.1 200');
    });
  });

  describe('a body', () => {
    test('beyond the limit is 413', async () => {
      await using bench = await open(variant);
      using client = await rawClient(bench.port);
      client.write(post(CHAT, `"${'x'.repeat(100 * 1024)}"`));
      expect(await client.until('\r\n\r\n')).toMatch(/^HTTP\/1.1 413 /);
    });

    test('that stops coming ends with 408 and the connection', async () => {
      const limits = { ...LIMITS, progress: { idleMs: 200, minBytesPerSecond: 0 } };
      await using bench = await open(variant, { settings: { limits } });
      using client = await rawClient(bench.port);
      client.write(
        `POST ${CHAT} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`,
      );
      await client.closed;
      expect(client.received()).toMatch(/^HTTP\/1.1 408 /);
    });

    test('that is not read does not hold the connection', async () => {
      await using bench = await open(variant, { handle: async () => text('early') });
      using client = await rawClient(bench.port);
      client.write(
        `POST ${CHAT} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`,
      );
      await client.closed;
      expect(client.received()).toContain('early');
    });
  });

  describe('an answer', () => {
    test('that streams arrives piece by piece', async () => {
      const { answer, body } = streaming();
      await using bench = await open(variant, { handle: async () => answer });
      using client = await rawClient(bench.port);
      client.write(post(CHAT, '{}'));
      body.push(Buffer.from('one'));
      await client.until('one');
      expect(client.received()).not.toContain('two');
      body.push(Buffer.from('two'));
      body.finish();
      expect(await client.until('0\r\n\r\n')).toContain('two');
    });

    test('stops its source while the client does not read', async () => {
      const { answer, body, flow } = streaming();
      await using bench = await open(variant, { handle: async () => answer });
      using client = await rawClient(bench.port);
      client.socket.pause();
      client.write(post(CHAT, '{}'));
      await waitFor(() => bench.exchanges.length === 1);
      const piece = Buffer.alloc(256 * 1024);
      for (let i = 0; i < 200 && !flow.includes('pause'); i += 1) body.push(piece);
      await waitFor(() => {
        if (!flow.includes('pause')) body.push(piece);
        return flow.includes('pause');
      });
      flow.length = 0;
      client.socket.resume();
      await waitFor(() => flow.includes('resume'));
    });

    test('ends the work for it when the client disconnects', async () => {
      const { answer, body, flow } = streaming();
      await using bench = await open(variant, { handle: async () => answer });
      const client = await rawClient(bench.port);
      client.write(post(CHAT, '{}'));
      body.push(Buffer.from('one'));
      await client.until('one');
      client.socket.destroy();
      await waitFor(() => flow.includes('abort'));
      expect(bench.exchanges[0]?.signal.reason).toMatchObject({ code: 'CLIENT_CLOSED' });
    });
  });

  describe('the end', () => {
    test('lets what is in flight finish, takes no new connection, and says so on the last answer', async () => {
      const gate = Promise.withResolvers<void>();
      const handle = async (): Promise<ReturnType<typeof text>> => {
        await gate.promise;
        return text('finished');
      };
      await using bench = await open(variant, { handle, drainMs: 60_000 });
      using client = await rawClient(bench.port);
      client.write(post(CHAT, '{}'));
      await waitFor(() => bench.exchanges.length === 1);
      const drained = bench.drain.run(bench.listener.stopAccepting);
      await waitFor(() => refusesConnections(bench.port), { what: 'a refused connection' });
      gate.resolve();
      await drained;
      await client.until('finished');
      expect(client.received().toLowerCase()).toContain('connection: close');
    });

    test('of the deadline aborts what is left', async () => {
      const { answer } = streaming();
      await using bench = await open(variant, { handle: async () => answer });
      using client = await rawClient(bench.port);
      client.write(post(CHAT, '{}'));
      await waitFor(() => bench.exchanges.length === 1);
      await bench.drain.run(bench.listener.stopAccepting);
      await client.closed;
      expect(bench.exchanges[0]?.signal.reason).toMatchObject({ code: 'DRAINING' });
    });

    test('at once cuts all connections', async () => {
      await using bench = await open(variant, { handle: () => new Promise(() => {}) });
      using busy = await rawClient(bench.port);
      using idle = await rawClient(bench.port);
      busy.write(post(CHAT, '{}'));
      await waitFor(() => bench.exchanges.length === 1);
      await bench.listener.closeNow();
      await Promise.all([busy.closed, idle.closed]);
    });
  });

  describe('over TLS', () => {
    const settings = { tls: { key: LOOPBACK_PEM, cert: LOOPBACK_PEM } };

    const ask = async (session: ClientHttp2Session, path: string, body: string): Promise<[unknown, string]> => {
      const stream = session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/json' });
      stream.end(body);
      const [headers] = await once(stream, 'response');
      let answer = '';
      for await (const bytes of stream) answer += bytes;
      return [headers[':status'], answer];
    };

    test('speaks HTTP/2, many requests on one connection', async () => {
      await using bench = await open(variant, { settings });
      const session = connectHttp2(bench.url, { ca: LOOPBACK_PEM });
      const answers = await Promise.all([1, 2, 3].map((n) => ask(session, CHAT, `{"n":${n}}`)));
      expect(answers).toEqual([1, 2, 3].map((n) => [200, `{"n":${n}}`]));
      session.destroy();
    });

    test('ends an HTTP/2 connection after what is in flight', async () => {
      const gate = Promise.withResolvers<void>();
      const handle = async (): Promise<ReturnType<typeof text>> => {
        await gate.promise;
        return text('finished');
      };
      await using bench = await open(variant, { settings, handle, drainMs: 60_000 });
      const session = connectHttp2(bench.url, { ca: LOOPBACK_PEM });
      const answer = ask(session, CHAT, '{}');
      await waitFor(() => bench.exchanges.length === 1);
      const closed = once(session, 'close');
      const drained = bench.drain.run(bench.listener.stopAccepting);
      gate.resolve();
      expect(await answer).toEqual([200, 'finished']);
      await Promise.all([drained, closed]);
    });
  });

  describe('an upgrade', () => {
    test.for(['/v1/realtime', '/v1/realtime?model=m'])(
      'without a handler is told what the path speaks: 426, on %s',
      async (path) => {
        await using bench = await open(variant);
        using client = await rawClient(bench.port);
        client.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n${UPGRADE}\r\n`);
        const answer = await client.until('upgrade_required');
        expect(answer).toMatch(/^HTTP\/1.1 426 /);
        expect(answer.toLowerCase()).toContain('upgrade: websocket');
        expect(answer.toLowerCase()).toContain('x-gw-trace-id: ');
        expect(bench.exchanges).toHaveLength(0);
      },
    );

    test('without a handler is ignored on other paths, and the connection stays', async () => {
      await using bench = await open(variant, { handle: echo });
      using client = await rawClient(bench.port);
      for (const body of ['{"a":1}', '{"b":2}']) {
        client.write(post(CHAT, body, UPGRADE));
        expect(await client.until(body)).toMatch(/^HTTP\/1.1 200 /);
      }
    });

    /** Sends back what comes. */
    function echoes(seen: { request?: UpgradeRequest; connection?: UpgradedConnection } = {}) {
      return {
        accept: (request: UpgradeRequest) => {
          if (request.path !== '/v1/realtime') return undefined;
          seen.request = request;
          return (connection: UpgradedConnection): void => {
            seen.connection = connection;
            connection.switchProtocols({ upgrade: 'echo' });
            connection.socket.pipe(connection.socket);
          };
        },
      };
    }
    const GO = `GET /v1/realtime?model=m HTTP/1.1\r\nhost: x\r\nx-one: two\r\n${UPGRADE}\r\n`;

    test('that is accepted hands over the connection, with the bytes that came early', async () => {
      const seen: { request?: UpgradeRequest; connection?: UpgradedConnection } = {};
      await using bench = await open(variant, { upgrades: echoes(seen) });
      using client = await rawClient(bench.port);
      client.write(`${GO}early `);
      client.write('late');
      const all = await client.until('late');
      expect(all).toMatch(/^HTTP\/1.1 101 /);
      expect(all).toMatch(/\r\n\r\nearly late$/);
      expect([seen.request?.method, seen.request?.query, seen.request?.header('x-one')]).toEqual([
        'GET',
        'model=m',
        'two',
      ]);
      client.write('x'.repeat(1_000_000));
      await waitFor(() => client.received().length > 1_000_000);
    });

    test('is read by another prefix like any request, and refused with a header under two names', async () => {
      const seen: { request?: UpgradeRequest } = {};
      const settings = { headerAliases: ['x-acme-'] };
      await using bench = await open(variant, { upgrades: echoes(seen), settings });
      using twice = await rawClient(bench.port);
      twice.write(GO.replace('x-one: two', 'x-acme-one: 1\r\nx-gw-one: 2'));
      expect(await twice.until('\r\n\r\n')).toMatch(/^HTTP\/1.1 400 /);
      expect(seen.request).toBeUndefined();
      using client = await rawClient(bench.port);
      client.write(GO.replace('x-one', 'x-acme-one'));
      await client.until('101');
      expect(seen.request?.header('x-gw-one')).toBe('two');
    });

    test('leaves the other paths to HTTP', async () => {
      await using bench = await open(variant, { upgrades: echoes() });
      using client = await rawClient(bench.port);
      client.write(post(CHAT, '{"a":1}', UPGRADE));
      expect(await client.until('{"a":1}')).toMatch(/^HTTP\/1.1 200 /);
    });

    test('is waited for by a drain, and ends it when the client leaves', async () => {
      const seen: { connection?: UpgradedConnection } = {};
      await using bench = await open(variant, { upgrades: echoes(seen), drainMs: 60_000 });
      using client = await rawClient(bench.port);
      client.write(GO);
      await client.until('101');
      let over = false;
      const drained = bench.drain.run(bench.listener.stopAccepting).then(() => {
        over = true;
      });
      await waitFor(() => refusesConnections(bench.port), { what: 'a refused connection' });
      client.write('still here');
      await client.until('still here');
      expect(over).toBe(false);
      client.socket.end();
      await drained;
      expect(seen.connection?.signal.reason).toMatchObject({ code: 'CLIENT_CLOSED' });
    });

    test('is closed by an abort, after its last bytes', async () => {
      const accept = () => (connection: UpgradedConnection) => {
        connection.switchProtocols({ upgrade: 'echo' });
        connection.signal.onCancel(() => void connection.socket.write('goodbye'));
      };
      await using bench = await open(variant, { upgrades: { accept } });
      using client = await rawClient(bench.port);
      client.write(GO);
      await client.until('101');
      await bench.drain.run(bench.listener.stopAccepting);
      await client.closed;
      expect(client.received()).toMatch(/goodbye$/);
    });

    test('is cut when the listener closes at once', async () => {
      await using bench = await open(variant, { upgrades: echoes() });
      using client = await rawClient(bench.port);
      client.write(GO);
      await client.until('101');
      await bench.listener.closeNow();
      await client.closed;
    });

    test('sends no header that could split the answer', async () => {
      const thrown: unknown[] = [];
      const accept = () => (connection: UpgradedConnection) => {
        try {
          connection.switchProtocols({ upgrade: 'a\r\nx: y' });
        } catch (error) {
          thrown.push(error);
          connection.socket.destroy();
        }
      };
      await using bench = await open(variant, { upgrades: { accept } });
      using client = await rawClient(bench.port);
      client.write(GO);
      await client.closed;
      expect(thrown).toEqual([expect.any(TypeError)]);
      expect(client.received()).toBe('');
    });
  });
});
