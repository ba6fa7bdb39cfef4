/** What holds for every route of every operation: browsers, OPTIONS, HEAD and a slash at the end; docs/behaviour/requests.md. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROUTES } from '../../gateway/src/pipeline/index.ts';
import { type RunningGateway, startGateway } from '../kit/gateway.ts';
import { key, workspace } from '../kit/snapshot.ts';

const ORIGIN = 'https://app.example';
/** Those that leave HTTP ask for an upgrade first: it is the same for everybody. */
const routes = ROUTES.filter(({ path, operation }) => !path.endsWith('*') && operation.connects !== true).map(
  ({ method, path, operation }) => ({
    method,
    path: path.replaceAll(/:\w+/g, 'a'),
    id: operation.id,
  }),
);

let open: RunningGateway;
let closed: RunningGateway;

beforeAll(async () => {
  const entries = [workspace(), key()];
  open = await startGateway({ entries, env: { ENABLE_CORS: 'true', CORS_ALLOWED_ORIGINS: ORIGIN } });
  closed = await startGateway({ entries });
});
afterAll(async () => {
  await open[Symbol.asyncDispose]();
  await closed[Symbol.asyncDispose]();
});

const refused = (
  gateway: RunningGateway,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
) => gateway.send(path, { method, headers: { 'x-gw-api-key': 'gwk_wrong', ...headers } });

test('there are routes', () => {
  expect(routes.length).toBeGreaterThan(15);
});

describe.for(routes)('$method $path', ({ method, path }) => {
  test('may be called by pages of an allowed origin, whose browsers are told so first', async () => {
    for (const at of [path, `${path}/`]) {
      const asked = await open.send(at, {
        method: 'OPTIONS',
        headers: {
          origin: ORIGIN,
          'access-control-request-method': method,
          'access-control-request-headers': 'authorization,content-type,x-gw-config',
        },
      });
      expect([asked.status, asked.headers['access-control-allow-origin']]).toEqual([204, ORIGIN]);
      expect(asked.headers['access-control-allow-methods']).toMatch(new RegExp(`\\*|\\b${method}\\b`));
      expect(asked.headers['access-control-allow-headers']).toMatch(/authorization/i);
    }
    const shown = await refused(open, method, path, { origin: ORIGIN });
    expect([shown.status, shown.headers['access-control-allow-origin']]).toEqual([401, ORIGIN]);
    const hidden = await refused(open, method, path, { origin: 'https://evil.example' });
    expect([hidden.status, hidden.headers['access-control-allow-origin']]).toEqual([401, undefined]);
  });

  test('names the methods where there are no pages', async () => {
    const answer = await closed.send(path, { method: 'OPTIONS' });
    expect(answer.status).toBe(204);
    expect(answer.headers['allow']?.split(', ')).toEqual(expect.arrayContaining([method, 'OPTIONS']));
  });

  test('is the same with a slash at the end, also before a query', async () => {
    const plain = await refused(closed, method, path);
    for (const at of [`${path}/`, `${path}/?a=b`]) {
      const answer = await refused(closed, method, at);
      expect([answer.status, answer.text]).toEqual([401, plain.text]);
    }
  });

  test.runIf(method === 'GET')('is for HEAD what it is for GET, without the body', async () => {
    const [get, head] = [await refused(closed, 'GET', path), await refused(closed, 'HEAD', path)];
    expect([head.status, head.bytes.length]).toEqual([get.status, 0]);
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
  });
});
