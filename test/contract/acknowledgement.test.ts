/** What operator and gateways say to each other about what is served, where one of them is a release older. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { contentDigest, parseManifest, renderManifest, SCHEMA_VERSION } from '@gatehouse/crds/snapshot';
import { snapshot, unwrap, waitFor, workspace } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createAdminListener } from '../../gateway/src/listener/index.ts';
import { createSnapshotHolder } from '../../gateway/src/snapshot/index.ts';
import { createAcknowledgements } from '../../operator/src/publish/index.ts';

const QUIET = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const digest = 'a'.repeat(64);
const SHARDS = [{ name: 'main-shard-aaaaaaaaaaaaaaaa', secret: false, digest }];

/** As gateways of before epochs read it. */
const OLD_MANIFEST = z.looseObject({
  version: z.int().min(1),
  schemaVersion: z.looseObject({ major: z.int().min(0), minor: z.int().min(0) }),
  shards: z.array(z.looseObject({ name: z.string(), secret: z.boolean(), digest: z.string() })),
  publishedAt: z.int().min(0).optional(),
  publisher: z.string().optional(),
});

test('a manifest with an epoch and a digest is one to a gateway of before epochs', () => {
  const manifest = { epoch: 2, version: 9, schemaVersion: { ...SCHEMA_VERSION }, shards: SHARDS };
  const text = renderManifest({ ...manifest, digest: contentDigest(manifest) });
  expect(OLD_MANIFEST.parse(JSON.parse(text))).toMatchObject({ version: 9, shards: SHARDS });
});

test('a manifest without them is one of epoch 0 to a gateway of today', () => {
  const text = JSON.stringify({ version: 9, schemaVersion: SCHEMA_VERSION, shards: SHARDS });
  const { epoch, version, digest: none } = unwrap(parseManifest(text));
  expect([epoch, version, none]).toEqual([undefined, 9, undefined]);
});

test('an operator of before epochs is answered for the version it waits for, whatever the epoch', async () => {
  const snapshots = createSnapshotHolder({ providers: new Map() });
  const ports = { snapshots, metrics: undefined, usage: undefined, version: 'test', token: undefined };
  const listener = createAdminListener(
    { host: '127.0.0.1', port: 0 },
    { ...ports, isAccepting: () => true, sourceStatus: () => undefined },
  );
  await using _listener = { [Symbol.asyncDispose]: listener.closeNow };
  const url = `http://127.0.0.1:${await listener.listen()}/internal/snapshot`;
  await snapshots.load(9, snapshot(workspace()), { epoch: 3, digest });
  const asked = async (wait: number): Promise<unknown> => (await fetch(`${url}?wait=${wait}`)).json();
  expect(await asked(9)).toMatchObject({ version: 9, epoch: 3, digest });
  const pending = asked(10);
  await snapshots.load(10, snapshot(), { epoch: 3, digest });
  expect(await pending).toMatchObject({ version: 10 });
});

test('a gateway of before digests is followed, and not taken to serve what is published', async () => {
  const server = createServer((_request, response) => {
    response.end(JSON.stringify({ version: 9, entries: 4, skipped: [] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await using _server = {
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const acknowledgements = createAcknowledgements({ token: () => 'x', onChange: () => undefined, log: QUIET });
  await using _acknowledgements = { [Symbol.asyncDispose]: () => acknowledgements.close() };
  acknowledgements.setPods([{ name: 'old', uid: 'u', ip: '127.0.0.1', ready: true, adminPort: port }]);
  await waitFor(() => acknowledgements.table()[0]?.answer, { what: 'an answer' });
  expect(acknowledgements.table()).toMatchObject([{ reachable: true, answer: { epoch: 0, version: 9, entries: 4 } }]);
  expect(acknowledgements.count(digest)).toEqual({ ready: 1, serving: 0 });
});
