import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { unwrap } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import { DatabaseAway } from '../../database/index.ts';
import { connectClickHouse } from './client.ts';

/** Takes the statements that open a connection, and then answers with this. */
async function serve(status: number, body: string) {
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const isQuestion = Buffer.concat(pieces).includes('SELECT 1');
    response.writeHead(isQuestion ? status : 200).end(isQuestion ? body : '');
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const told: unknown[] = [];
  const { port } = server.address() as AddressInfo; // it listens on a port
  const connection = unwrap(
    connectClickHouse({ url: `http://reader:secret@127.0.0.1:${port}`, onAway: (error) => told.push(error) }),
  );
  return {
    told,
    ask: () => connection.ask(() => 'SELECT 1').catch((error: unknown) => error),
    async [Symbol.asyncDispose]() {
      await connection.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

test.for([
  { what: 'a load balancer', status: 502, body: '<html>Bad Gateway</html>' },
  { what: 'a load balancer without a word', status: 503, body: '' },
])('$what in front of a server that is away is told from the server', async ({ status, body }) => {
  await using database = await serve(status, body);
  expect(await database.ask()).toBeInstanceOf(DatabaseAway);
  expect(await database.ask()).toBeInstanceOf(DatabaseAway);
  expect(database.told).toHaveLength(1);
});

test('what the server itself refuses is no absence', async () => {
  const refusal = 'Code: 60. DB::Exception: Unknown table x. (UNKNOWN_TABLE) (version 26.1)';
  await using database = await serve(404, refusal);
  expect(await database.ask()).toMatchObject({ code: '60' });
  expect(database.told).toEqual([]);
});
