/** What test pods run: `/` answers with the name of the pod, `/file?path=` with a file, `/fetch?url=` with the answer of a URL. */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { hostname } from 'node:os';

const ANSWERS: ReadonlyMap<string, (query: URLSearchParams) => Promise<string>> = new Map([
  ['/', () => Promise.resolve(hostname())],
  ['/file', (query: URLSearchParams) => readFile(query.get('path') ?? '', 'utf8')],
  ['/fetch', async (query: URLSearchParams) => (await fetch(query.get('url') ?? '')).text()],
]);

/** `ENOENT` of a file, `ENETUNREACH` of a fetch. */
const codeOf = (error: unknown): string => {
  const { cause = error } = error instanceof Error ? error : {};
  return cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
};

const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://probe');
  try {
    response.end(await ANSWERS.get(pathname)?.(searchParams));
  } catch (error) {
    response.writeHead(500).end(codeOf(error));
  }
});
server.listen(Number(process.env['PORT'] ?? 8080));
process.on('SIGTERM', () => process.exit(0)); // the first process of a container gets no default action
