import { createHash } from 'node:crypto';
import type { Exchange } from './exchange.ts';
import { json, type Reply } from './reply.ts';

/** Echoes the request. `body` is included when it is JSON. */
export function answerEcho({ request, query }: Exchange): Reply {
  const { method, path, headers, body } = request;
  return json({
    method,
    path,
    search: request.search,
    query: Object.fromEntries(query),
    headers,
    body_bytes: body.length,
    body_sha256: createHash('sha256').update(body).digest('hex'),
    ...parseBody(body),
  });
}

function parseBody(body: Buffer): { body?: unknown } {
  try {
    return { body: JSON.parse(body.toString()) };
  } catch {
    return {};
  }
}
